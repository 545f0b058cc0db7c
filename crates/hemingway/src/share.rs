//! One data set in several processes, each of which reads and holds a share of its rows.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// Processes that read one data set together. All of them call the same functions in the same order.
pub trait Company {
    /// Which of them this one is.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// What each of them says, in their order.
    fn tell(&mut self, mine: Vec<u8>) -> Result<Vec<Vec<u8>>>;

    /// One message to each, and one from each.
    fn swap(&mut self, to_each: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>>;
}

/// What each process found out; if one of them failed, all fail with what the first of those has to say.
pub(crate) fn tell_all<T: Serialize + DeserializeOwned>(company: &mut dyn Company, mine: Result<T>) -> Result<Vec<T>> {
    let (said, own) = match mine {
        Ok(value) => (Ok(value), None),
        Err(error) => (Err(error.to_string()), Some(error)),
    };
    let bytes = postcard::to_allocvec(&said).map_err(|e| unreadable(&e))?;
    let heard = company.tell(bytes)?;
    let mut found = Vec::with_capacity(heard.len());
    for (rank, bytes) in heard.iter().enumerate() {
        match postcard::from_bytes::<Result<T, String>>(bytes).map_err(|e| unreadable(&e))? {
            Ok(value) => found.push(value),
            Err(_) if rank == company.rank() && own.is_some() => break,
            Err(what) => return Err(Error::Evidence(format!("rank {rank}: {what}"))),
        }
    }
    own.map_or(Ok(found), Err)
}

fn unreadable(error: &postcard::Error) -> Error {
    Error::Engine(format!("a message between processes cannot be read: {error}"))
}
