//! Model files: our JSON, liblinear's text, safetensors. What was read is applied, written in every format, and read.
#![no_main]

use hemingway::data::Matrix;
use hemingway::trained::{ModelFormat, TrainedModel};
use libfuzzer_sys::fuzz_target;

const FORMATS: [ModelFormat; 4] =
    [ModelFormat::Json, ModelFormat::Liblinear, ModelFormat::Onnx, ModelFormat::Safetensors];

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = hemingway_fuzz::with_file("read", bytes, TrainedModel::load) else { return };
    _ = model.margins(Matrix::dense(2, vec![1.0, -2.0, 0.0, 3.0]));
    model.label(&vec![1.0; model.outputs()]);
    for format in FORMATS {
        let written = hemingway_fuzz::with_file("written", &[], |path| {
            model.save_as(path, format).map(|_| TrainedModel::load(path))
        });
        let Ok(read) = written else { continue };
        if format == ModelFormat::Json {
            assert_eq!(read.expect("what was written can be read"), model);
        }
    }
});
