use super::*;

fn read(name: &str, text: &str, meaning: Meaning) -> Result<Listed> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    Listed::load(&path.to_string_lossy(), meaning)
}

fn ratings(text: &str) -> Ratings {
    read("ratings", text, Meaning::Explicit).unwrap().into_ratings(Meaning::Explicit).unwrap()
}

fn entries(ratings: &Ratings) -> Vec<(String, String, f64)> {
    let name = |u: usize, i: u32| (ratings.users[u].clone(), ratings.items[i as usize].clone());
    let row = |u: usize| ratings.dataset.matrix.row(u).iter().map(move |(i, r)| (u, i, r));
    let rows = (0..ratings.users.len()).flat_map(row);
    rows.map(|(u, i, r)| (name(u, i).0, name(u, i).1, r)).collect()
}

#[test]
fn one_table_in_every_dress_is_the_same_ratings() {
    let csv = ratings("userId,movieId,rating,timestamp\n10,7,4.0,1\n9,7,3.5,2\n10,20,1,3\n");
    assert_eq!(csv.users, ["9", "10"]);
    assert_eq!(csv.items, ["7", "20"]);
    let expected = [("9", "7", 3.5), ("10", "7", 4.0), ("10", "20", 1.0)];
    assert_eq!(entries(&csv), expected.map(|(u, i, r)| (u.to_string(), i.to_string(), r)));
    for text in [
        "10\t7\t4\t881250949\n9\t7\t3.5\t1\n\n10\t20\t1\t1\n",
        "10::7::4::1\n10::20::1::1\n9::7::3.5::1\n",
        "\"10\";\"7\";\"4\"\n\"9\";\"7\";\"3.5\"\n\"10\";\"20\";\"1\"\n",
        "10 7 4\n9 7 3.5\n10 20 1\n",
        "rating,when,item,user\n4,x,7,10\n3.5,x,7,9\n1,x,20,10\n",
        "rating_id,rating,User ID,movie_id\n1,4,10,7\n2,3.5,9,7\n3,1,10,20\n",
        "%%MatrixMarket matrix coordinate real general\n% by hand\n12 20 3\n10 7 4\n9 7 3.5\n10 20 1\n",
    ] {
        let other = ratings(text);
        assert_eq!(
            (entries(&other), other.dataset.fingerprint()),
            (entries(&csv), csv.dataset.fingerprint()),
            "{text}"
        );
    }
}

#[test]
fn ids_are_any_text() {
    let named = ratings("user,item,rating\nZoé,War and Peace,5\nAdam,Emma,2\n");
    assert_eq!(
        (named.users, named.items),
        (vec!["Adam".into(), "Zoé".into()], vec!["Emma".into(), "War and Peace".into()])
    );
}

#[test]
fn ids_that_look_like_a_header_are_none() {
    let named = ratings("user1,item1,5\nuser2,item1,3\n");
    assert_eq!((named.users, named.items), (vec!["user1".into(), "user2".into()], vec!["item1".into()]));
}

#[test]
fn a_pair_rated_again_counts_once_and_feedback_adds_up() {
    let text = "user,item,rating\n1,1,2\n1,2,3\n1,1,5\n";
    let explicit = ratings(text);
    assert_eq!(entries(&explicit)[0].2, 5.0);
    assert_eq!(explicit.notes, ["1 of 3 ratings is of a pair rated before: the last counts"]);
    let implicit = read("r", text, Meaning::Implicit).unwrap().into_ratings(Meaning::Implicit).unwrap();
    assert_eq!(entries(&implicit)[0].2, 7.0);
    let pairs = read("r", "1,1\n2,1\n", Meaning::Implicit).unwrap().into_ratings(Meaning::Implicit).unwrap();
    assert_eq!(entries(&pairs).iter().map(|entry| entry.2).collect::<Vec<_>>(), [1.0, 1.0]);
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    for (text, meaning, what) in [
        ("", Meaning::Explicit, "is empty"),
        ("userId,movieId,rating\n", Meaning::Explicit, "holds no ratings"),
        ("1,2,3\n4,5\n", Meaning::Explicit, ":2: no rating in `4,5`"),
        ("1,2,3\n4,5,x\n", Meaning::Explicit, ":2: the rating `x` is not a number"),
        ("1,2,3\n4,5,inf\n", Meaning::Explicit, ":2: the rating `inf`"),
        ("1,2\n", Meaning::Explicit, "is not user, item and rating"),
        ("user,item\n1,2\n", Meaning::Explicit, "--implicit"),
        ("a,b,c\n1,2,3\n", Meaning::Explicit, ":1: `a,b,c` is neither user, item and a number nor a header"),
        ("u1,i1,NA\nu2,i1,3\n", Meaning::Explicit, ":1: `u1,i1,NA` is neither"),
        ("1,2,3\n\"Smith, J\",5,3\n", Meaning::Explicit, ":2: the quotes of `\"Smith` do not close"),
        ("1,2,3\n1,2,-1\n", Meaning::Implicit, ":2: -1 is below 0"),
        ("1,2,0\n", Meaning::Implicit, "holds no ratings"),
        ("%%MatrixMarket matrix array real general\n", Meaning::Explicit, "coordinate real general"),
        ("%%MatrixMarket matrix coordinate real general\nx\n", Meaning::Explicit, ":2: `x` is not the size"),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n",
            Meaning::Explicit,
            ":3: `3 1 5` is not a place",
        ),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n", Meaning::Explicit, "holds 1 entry"),
    ] {
        let error =
            read("r.csv", text, meaning).and_then(|listed| listed.into_ratings(meaning)).unwrap_err().to_string();
        assert!(error.contains(what), "{text:?}: {error}");
    }
}

#[test]
fn those_not_seen_share_a_row_and_a_column() {
    let train = ratings("1,1,2\n2,3,4\n");
    let test = read("t", "2,1,5\n7,3,1\n8,3,2\n1,9,3\n", Meaning::Explicit).unwrap();
    let (data, note) = Directory::of(&train.users, &train.items).arrange(&test, Meaning::Explicit);
    assert_eq!((data.rows(), data.columns(), data.matrix.stored()), (3, 3, 4));
    assert_eq!(data.matrix.row(2).iter().collect::<Vec<_>>(), [(1, 1.0), (1, 2.0)]);
    assert_eq!(data.matrix.row(0).iter().collect::<Vec<_>>(), [(2, 3.0)]);
    assert!(note.unwrap().starts_with("3 of 4 ratings"));
}

#[test]
fn what_is_measured_on_keeps_to_the_same_rules() {
    let train = ratings("1,1,2\n2,3,4\n");
    let known = Directory::of(&train.users, &train.items);
    let arranged = |text: &str, meaning: Meaning| known.arrange(&read("t", text, meaning).unwrap(), meaning).0.matrix;
    let again = arranged("2,1,5\n2,1,3\n", Meaning::Explicit);
    assert_eq!(again.row(1).iter().collect::<Vec<_>>(), [(0, 3.0)]);
    assert_eq!(arranged("2,1,5\n2,1,3\n1,3,0\n", Meaning::Implicit).stored(), 1);
}

#[test]
fn made_ratings_repeat_and_their_parts_do_not_meet() {
    let make = |spec: &str| Listed::load(spec, Meaning::Explicit).unwrap().into_ratings(Meaning::Explicit).unwrap();
    let (train, test) =
        (make("synth:ratings,ratings=8000,users=200"), make("synth:ratings,ratings=8000,users=200,part=test"));
    assert_eq!(train, make("synth:ratings,ratings=8000,users=200"));
    assert!(matches!(&train.notes[..], [note] if note.contains("ratings were made of the 8000 asked for")));
    assert_eq!(make("synth:ratings,ratings=300,users=300").notes, Vec::<String>::new());
    let (all, held) = (entries(&train), entries(&test));
    assert!((0.08..0.12).contains(&(held.len() as f64 / (all.len() + held.len()) as f64)));
    let pairs: std::collections::HashSet<_> = all.into_iter().map(|(u, i, _)| (u, i)).collect();
    assert!(held.into_iter().all(|(u, i, r)| !pairs.contains(&(u, i)) && (0.5..=5.0).contains(&r)));
    for spec in ["synth:ridge", "synth:ratings,user=1", "synth:ratings,part=both", "synth:ratings,users=3,items=3"] {
        assert!(matches!(Listed::load(spec, Meaning::Explicit), Err(Error::Setting { .. })), "{spec}");
    }
}
