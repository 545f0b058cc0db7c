use proptest::prelude::*;

use super::*;
use crate::data::prepare::LabelRule;
use crate::problem::Scheme;

const READABLE: [ModelFormat; 3] = [ModelFormat::Json, ModelFormat::Liblinear, ModelFormat::Safetensors];

/// A model of three columns and rows for it.
fn any_model() -> impl Strategy<Value = (TrainedModel, Matrix)> {
    let weights = proptest::collection::vec(-10.0..10.0, 12);
    let scales = proptest::option::of(proptest::collection::vec(0.1..100.0, 3));
    let rows = proptest::collection::vec(prop_oneof![Just(0.0), -5.0..5.0], 15);
    let labels = prop_oneof![
        Just(LabelRule::Two { negative: 2.0, positive: -7.0 }),
        Just(LabelRule::OneAgainstRest { positive: 3.0 }),
        Just(many())
    ];
    let parts = (0..Loss::ALL.len(), weights, scales, rows, labels, any::<bool>(), any::<bool>());
    parts.prop_map(|(loss, weights, scales, values, labels, unit_rows, intercept)| {
        let model = model(Loss::ALL[loss], weights, scales, labels, unit_rows, intercept);
        (model, Matrix::dense(3, values))
    })
}

fn model(
    loss: Loss,
    weights: Vec<f64>,
    scales: Option<Vec<f64>>,
    labels: LabelRule,
    unit_rows: bool,
    intercept: bool,
) -> TrainedModel {
    let labels = if loss.is_binary() { labels } else { LabelRule::Keep };
    let classes = labels.many().map(|labels| Classes { scheme: Scheme::usual(loss), count: labels.len() });
    let outputs = classes.map_or(1, |classes| classes.count);
    let weights = weights.chunks(4).take(outputs).flat_map(|w| &w[..3 + usize::from(intercept)]).copied().collect();
    let rules = Rules { columns: 3, names: None, unit_rows, scales, intercept, labels };
    let (format, l2, l1) = (FORMAT.into(), Some(1e-3), Some(0.0));
    TrainedModel { format, loss, classes, l2, l1, rules, base: None, factors: None, weights, provenance: None }
}

fn many() -> LabelRule {
    LabelRule::Many { labels: vec![-3.0, 0.0, 7.0] }
}

fn simple(loss: Loss) -> TrainedModel {
    let labels = LabelRule::Two { negative: 0.0, positive: 1.0 };
    model(loss, vec![1.5, -2.0, 1e-30, 0.25], None, labels, false, true)
}

fn bytes(model: &TrainedModel, format: ModelFormat) -> Vec<u8> {
    format.bytes(model).unwrap()
}

fn read(bytes: &[u8]) -> Result<TrainedModel> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m");
    std::fs::write(&path, bytes).unwrap();
    TrainedModel::load(&path)
}

fn complaint(bytes: &[u8]) -> String {
    let said = read(bytes).expect_err("must be refused").to_string();
    said.split_once("/m:").map_or(said.clone(), |(_, what)| what.trim().into())
}

fn predictions(model: &TrainedModel, rows: &Matrix) -> Vec<f64> {
    model.margins(rows.clone()).unwrap().0.chunks(model.outputs()).map(|z| model.label(z)).collect()
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + a.abs()))
}

proptest! {
    #[test]
    fn a_model_read_back_predicts_the_same((model, rows) in any_model()) {
        for format in READABLE {
            if format.check(model.loss, &model.rules).is_err() {
                continue;
            }
            let again = read(&bytes(&model, format)).unwrap();
            let (before, after) = (predictions(&model, &rows), predictions(&again, &rows));
            // Weights divided by scales beforehand are rounded otherwise than rows divided by them.
            let rounded = model.rules.scales.is_some();
            prop_assert!(if rounded { close(&before, &after) } else { before == after }, "{format:?} {before:?} {after:?}");
            prop_assert_eq!(bytes(&model, format), bytes(&model, format));
        }
    }

    #[test]
    fn a_file_cut_short_is_refused((model, _) in any_model(), at in 0.0..1.0) {
        for format in READABLE {
            let whole = bytes(&model, format);
            let part = &whole[..(at * (whole.len() - 2) as f64) as usize];
            prop_assert!(read(part).is_err(), "{format:?} cut at {}", part.len());
        }
    }

    #[test]
    fn damaged_files_never_panic((model, _) in any_model(), at in any::<prop::sample::Index>(), byte: u8) {
        for format in READABLE {
            let mut damaged = bytes(&model, format);
            let at = at.index(damaged.len());
            damaged[at] = byte;
            if let Ok(model) = read(&damaged) {
                prop_assert!(model.check().is_ok());
            }
        }
    }

    #[test]
    fn anything_else_is_refused(mut junk in proptest::collection::vec(any::<u8>(), 0..200), head in 0..4_usize) {
        let heads = [&b""[..], b"{", b"solver_type L2R_LR\n", b"\x20\0\0\0\0\0\0\0{"];
        junk.splice(..0, heads[head].iter().copied());
        prop_assert!(read(&junk).is_err());
    }

    #[test]
    fn onnx_is_written_for_every_model((model, _) in any_model()) {
        prop_assert!(!bytes(&model, ModelFormat::Onnx).is_empty());
    }
}

#[test]
fn old_files_are_read() {
    let mut old = serde_json::to_value(simple(Loss::Hinge)).unwrap();
    old.as_object_mut().unwrap().remove("l1");
    assert_eq!(read(old.to_string().as_bytes()).unwrap().l1, None);
}

#[test]
fn liblinear_text_is_as_liblinear_writes_it() {
    let text = String::from_utf8(bytes(&simple(Loss::Logistic), ModelFormat::Liblinear)).unwrap();
    let expected = "solver_type L2R_LR\nnr_class 2\nlabel 0 1\nnr_feature 3\nbias 1\nw\n-1.5\n2.0\n-1e-30\n-0.25\n";
    assert_eq!(text, expected);
    let text = String::from_utf8(bytes(&simple(Loss::Huber), ModelFormat::Liblinear)).unwrap();
    assert!(text.starts_with("solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 3\n"), "{text}");
    assert!(text.ends_with("w\n1.5\n-2.0\n1e-30\n0.25\n"), "{text}");
}

#[test]
fn several_classes_stand_side_by_side_in_liblinear_text() {
    let model = model(Loss::Hinge, (0..12).map(f64::from).collect(), None, many(), false, true);
    let text = String::from_utf8(bytes(&model, ModelFormat::Liblinear)).unwrap();
    let head = "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 3\nlabel -3 0 7\nnr_feature 3\nbias 1\nw\n";
    assert_eq!(text, format!("{head}0.0 4.0 8.0\n1.0 5.0 9.0\n2.0 6.0 10.0\n3.0 7.0 11.0\n"));
    assert_eq!(read(text.as_bytes()).unwrap(), TrainedModel { l2: None, l1: None, base: Some(Base::One), ..model });
}

/// liblinear lists labels in the order of their first rows.
#[test]
fn classes_of_liblinear_come_in_any_order() {
    let text = "solver_type MCSVM_CS\nnr_class 3\nlabel 4 9 2\nnr_feature 1\nbias -1\nw\n0.5 1 -3 \n";
    let model = read(text.as_bytes()).unwrap();
    assert_eq!(model.weights, [-3.0, 0.5, 1.0]);
    let rows = Matrix::dense(1, vec![1.0, -1.0, 0.0]);
    assert_eq!(predictions(&model, &rows), [9.0, 2.0, 2.0]);
}

#[test]
fn classes_that_do_not_fit_are_refused() {
    let said = |change: fn(&mut TrainedModel)| {
        let mut model = model(Loss::Logistic, vec![1.0; 12], None, many(), false, true);
        change(&mut model);
        complaint(&serde_json::to_vec(&model).unwrap())
    };
    assert!(said(|model| model.classes = None).contains("a label for each of its classes"));
    assert!(said(|model| model.rules.labels = LabelRule::Many { labels: vec![1.0, 1.0, 2.0] }).contains("each larger"));
    assert!(said(|model| model.loss = Loss::Hinge).contains("softmax is the logistic loss"));
    assert!(said(|model| model.weights.truncate(11)).contains("11 weights for 3 classes of 4 columns"));
}

#[test]
fn a_bias_multiplies_its_weight() {
    let text = "solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature 1\nbias 10\nw\n2 \n0.5 \n";
    let model = read(text.as_bytes()).unwrap();
    assert_eq!((model.loss, model.weights), (Loss::Absolute, vec![2.0, 5.0]));
}

#[test]
fn a_tie_goes_to_the_second_label_of_liblinear() {
    let text = "solver_type L2R_LR\nnr_class 2\nlabel 4 9\nnr_feature 1\nbias -1\nw\n2\n";
    let rows = Matrix::dense(1, vec![1.0, -1.0, 0.0]);
    assert_eq!(predictions(&read(text.as_bytes()).unwrap(), &rows), [4.0, 9.0, 9.0]);
}

#[test]
fn what_liblinear_cannot_say_is_refused_with_advice() {
    let two = |negative, positive| LabelRule::Two { negative, positive };
    let said = |loss, labels, unit_rows, intercept| {
        let model = model(loss, vec![1.0; 4], None, labels, unit_rows, intercept);
        ModelFormat::Liblinear.check(model.loss, &model.rules).map_err(|e| e.to_string())
    };
    assert!(said(Loss::Hinge, two(0.0, 0.5), false, false).unwrap_err().contains("not 0 and 0.5; give the classes"));
    assert!(said(Loss::Hinge, two(0.0, 1e10), false, false).is_err());
    assert!(said(Loss::Hinge, two(0.0, 1.0), true, true).unwrap_err().contains("matters with an intercept"));
    assert!(said(Loss::Squared, two(0.0, 1.0), true, false).unwrap_err().contains("matters with regression"));
    said(Loss::Logistic, two(0.0, 1.0), true, false).unwrap();
    said(Loss::Squared, two(0.0, 0.5), false, true).unwrap();
}

#[test]
fn probabilities_of_rows_that_were_scaled_are_not_promised() {
    let labels = LabelRule::Two { negative: 0.0, positive: 1.0 };
    let model = model(Loss::Logistic, vec![1.0; 4], None, labels, true, false);
    assert!(bytes(&model, ModelFormat::Liblinear).starts_with(b"solver_type L2R_L1LOSS_SVC_DUAL\n"));
}

#[test]
fn wrong_files_say_what_is_wrong() {
    let liblinear =
        |head: &str, weights: &str| format!("solver_type L2R_LR\n{head}\nnr_feature 2\nbias -1\nw\n{weights}");
    let header = "nr_class 2\nlabel 1 -1";
    let weightless = |head: &str| complaint(liblinear(head, "1\n2\n").as_bytes());
    assert!(complaint(b"").contains("is not a model file"));
    assert!(complaint(b"{}").contains("not a model file of ours: missing field"));
    assert!(complaint(liblinear(header, "1\nnan\n").as_bytes()).contains("found `nan`"));
    assert!(complaint(liblinear(header, "1\n").as_bytes()).contains("holds 1 weights where its header promises 2"));
    assert!(weightless("nr_class 3\nlabel 1 2 3").contains("expected 3 finite numbers, found `1`"));
    assert!(weightless("nr_class 1\nlabel 1").contains("`1` is not a number of classes"));
    assert!(weightless("nr_class 2\nlabel 1 1").contains("different whole numbers"));
    assert!(weightless("nr_class 2\nlabel 1 2 3").contains("has 3 labels for its classes"));
    assert!(weightless("nr_class 2").contains("no line `label`"));
    assert!(weightless("nr_klass 2").contains("`nr_klass` has no meaning"));
    assert!(complaint(b"solver_type ONECLASS_SVM\n").contains("`ONECLASS_SVM` cannot be read"));
}

#[test]
fn weights_that_are_not_numbers_are_refused() {
    let mut bad = simple(Loss::Squared);
    bad.weights[1] = f64::NAN;
    let said = complaint(&bytes_unchecked(&bad));
    assert!(said.contains("weight 2 is NaN"), "{said}");
    for format in [ModelFormat::Json, ModelFormat::Liblinear, ModelFormat::Onnx, ModelFormat::Safetensors] {
        let dir = tempfile::tempdir().unwrap();
        let said = bad.save_as(&dir.path().join("m"), format).unwrap_err().to_string();
        assert!(said.contains("weight 2 is NaN"), "{said}");
    }
}

/// A safetensors file with a NaN put in place of its second weight.
fn bytes_unchecked(model: &TrainedModel) -> Vec<u8> {
    let mut file = bytes(&simple(model.loss), ModelFormat::Safetensors);
    let at = file.len() - 2 * size_of::<f64>();
    file[at..at + size_of::<f64>()].copy_from_slice(&f64::NAN.to_le_bytes());
    file
}

#[test]
fn rules_that_do_not_fit_are_refused() {
    let said = |change: fn(&mut Rules)| {
        let mut model = simple(Loss::Hinge);
        change(&mut model.rules);
        complaint(&serde_json::to_vec(&model).unwrap())
    };
    assert!(said(|rules| rules.columns = usize::MAX).contains("holds 4 weights for"));
    assert!(said(|rules| rules.scales = Some(vec![1.0])).contains("a scale above 0 for each of its 3 columns"));
    assert!(said(|rules| rules.scales = Some(vec![1.0, 0.0, 1.0])).contains("a scale above 0"));
    assert!(said(|rules| rules.names = Some(vec!["a".into()])).contains("does not name each of its 3 columns"));
}

#[test]
fn endings_choose_formats() {
    let of = |name: &str| ModelFormat::of(Path::new(name)).map_err(|e| e.to_string());
    assert_eq!(of("m"), Ok(ModelFormat::Json));
    assert_eq!(of("a.b/m.JSON"), Ok(ModelFormat::Json));
    assert_eq!(of("m.model"), Ok(ModelFormat::Liblinear));
    assert_eq!(of("m.onnx"), Ok(ModelFormat::Onnx));
    assert_eq!(of("m.safetensors"), Ok(ModelFormat::Safetensors));
    let said = of("m.pkl").unwrap_err();
    assert!(said.starts_with("m.pkl: models cannot be written as pkl; end the name in .json"), "{said}");
}
