//! The commands, by what is wrong with them.

/// One bad input.
pub(crate) struct Case {
    /// The file that is wrong, if one is.
    pub(crate) input: &'static str,
    /// What is asked of it.
    pub(crate) command: &'static str,
}

const fn of(input: &'static str, command: &'static str) -> Case {
    Case { input, command }
}

/// Nothing but the command is wrong.
const fn said(command: &'static str) -> Case {
    of("", command)
}

/// All of them.
pub(crate) const SECTIONS: &[(&str, &[Case])] = &[
    ("LIBSVM text", LIBSVM),
    ("CSV", CSV),
    ("Vowpal Wabbit text", VW),
    ("Compressed files, and files that are something else", FILES),
    ("NumPy, Parquet and idx files", ARRAYS),
    ("Made data", SYNTH),
    ("Labels and weights", WEIGHTS),
    ("Cluster files", CLUSTERS),
    ("Flags", FLAGS),
    ("Models", MODELS),
    ("Runs", RUNS),
    ("Records", RECORDS),
    ("Exchange of variables", SYNC),
];

const LIBSVM: &[Case] = &[
    of("label.svm", "data info label.svm"),
    of("nan-label.svm", "data info nan-label.svm"),
    of("unlabelled.svm", "data info unlabelled.svm"),
    of("several-labels.svm", "data info several-labels.svm"),
    of("value.svm", "data info value.svm"),
    of("infinite.svm", "data info infinite.svm"),
    of("index.svm", "data info index.svm"),
    of("negative-index.svm", "data info negative-index.svm"),
    of("huge-index.svm", "data info huge-index.svm"),
    of("wide.svm", "train wide.svm --reach 1e-3"),
    of("unordered.svm", "data info unordered.svm"),
    of("twice.svm", "data info twice.svm"),
    of("colon.svm", "data info colon.svm"),
    of("labels-only.svm", "data info labels-only.svm"),
    of("beyond-f32.svm", "train beyond-f32.svm --reach 1e-1 --storage f32"),
    of("from-zero.svm", "train good.svm --reach 1e-1 --test from-zero.svm"),
    of("empty", "data info empty"),
];

const CSV: &[Case] = &[
    of("header.csv", "data info header.csv"),
    of("ragged.csv", "data info ragged.csv"),
    of("category.csv", "data info category.csv"),
    of("missing.csv", "data info missing.csv"),
    of("infinite.csv", "data info infinite.csv"),
    of("unlabelled.csv", "data info unlabelled.csv --label won"),
    of("two-labels.csv", "data info two-labels.csv"),
    of("twins.csv", "data info twins.csv"),
    of("quote.csv", "data info quote.csv"),
    of("one-column.csv", "data info one-column.csv"),
    of("fewer.csv", "train table.csv --reach 1e-1 --test fewer.csv"),
];

const VW: &[Case] = &[
    of("bar.vw", "data info bar.vw"),
    of("label.vw", "data info label.vw"),
    of("weight.vw", "data info weight.vw"),
    of("value.vw", "data info value.vw"),
];

const FILES: &[Case] = &[
    said("data info nowhere.svm"),
    said("data info runs"),
    of("cut.svm.gz", "data info cut.svm.gz"),
    of("cut.svm.bz2", "data info cut.svm.bz2"),
    of("zeros", "data info zeros"),
    said("data convert good.svm good.xlsx"),
    said("data convert good.svm good.csv"),
    said("data convert good.svm nowhere/good.svm"),
    said("data split good.svm --test 1.5"),
];

const ARRAYS: &[Case] = &[
    of("cut.npy", "data info cut.npy"),
    of("objects.npy", "data info objects.npy"),
    of("words.npy", "data info words.npy"),
    of("cube.npy", "data info cube.npy"),
    of("huge.npy", "data info huge.npy"),
    of("nan.npy", "data info nan.npy"),
    of("rows.npy", "data info rows.npy"),
    of("rows.npy", "data info rows.npy --label 3"),
    of("strange.npz", "data info strange.npz"),
    of("labels.npz", "data info labels.npz"),
    of("indptr.npz", "data info indptr.npz"),
    of("csc.npz", "data info csc.npz"),
    of("cut.npz", "data info cut.npz"),
    of("cut.parquet", "data info cut.parquet"),
    of("wrong.parquet", "data info wrong.parquet"),
    of("t-images-idx3-ubyte", "data info t-images-idx3-ubyte"),
];

const SYNTH: &[Case] = &[
    said("data info synth:cubic"),
    said("data info synth:ridge,density=0.1"),
    said("data info synth:ridge,rows"),
    said("data info synth:ridge,rows=many"),
    said("data info synth:svm,noise=0.7"),
    said("data info synth:logistic,rows=1e8,columns=1e8"),
    said("data info synth:sparse,columns=10,relevant=11"),
];

const WEIGHTS: &[Case] = &[
    of("one-class.svm", "train one-class.svm --reach 1e-3"),
    of("three-classes.svm", "train three-classes.svm --reach 1e-3 --loss hinge --classes softmax"),
    of("three-classes.svm", "train three-classes.svm --reach 1e-3 --positive 7"),
    of("three-classes.svm", "train three-classes.svm --reach 1e-3 --algorithms admm"),
    of("few.weights", "train good.svm --reach 1e-3 --weights few.weights"),
    of("negative.weights", "train good.svm --reach 1e-3 --weights negative.weights"),
    of("word.weights", "train good.svm --reach 1e-3 --weights word.weights"),
    of("zero.weights", "train good.svm --reach 1e-3 --weights zero.weights"),
    of("weighted.csv", "data info weighted.csv --weight w"),
    of("weighted.csv", "data info weighted.csv --weight label --label label"),
    said("train good.svm --reach 1e-3 --weight w"),
    said("train good.svm --reach 1e-3 --labels y.npy"),
    said("train good.svm --reach 1e-3 --class-weight heavy"),
    said("train good.svm --reach 1e-3 --class-weight 7=2"),
];

const CLUSTERS: &[Case] = &[
    said("train good.svm --reach 1e-3 --cluster nowhere"),
    of("toml.toml", "train good.svm --reach 1e-3 --cluster toml.toml"),
    of("key.toml", "train good.svm --reach 1e-3 --cluster key.toml"),
    of("missing.toml", "train good.svm --reach 1e-3 --cluster missing.toml"),
    of("negative.toml", "train good.svm --reach 1e-3 --cluster negative.toml"),
    of("type.toml", "train good.svm --reach 1e-3 --cluster type.toml"),
    of("pace.toml", "train good.svm --reach 1e-3 --cluster pace.toml"),
    of("none.toml", "train good.svm --reach 1e-3 --cluster none.toml"),
    of("crowd.toml", "train good.svm --reach 1e-3 --cluster crowd.toml"),
    of("latency.toml", "train good.svm --reach 1e-3 --cluster latency.toml"),
    of("collective.toml", "train good.svm --reach 1e-3 --cluster collective.toml"),
    of("nan.toml", "train good.svm --reach 1e-3 --cluster nan.toml"),
    of("link.toml", "train good.svm --reach 1e-3 --cluster link.toml"),
    of("free.toml", "train good.svm --spend 1 --cluster free.toml"),
    of("free.toml", "train good.svm --reach 1e-3 --machines 1..4 --cluster free.toml"),
    of("free.toml", "run good.svm --algorithm gd --machines 4 --cluster free.toml"),
    of("free.toml", "plan good.svm --reach 1e-3 --cluster free.toml --cluster local"),
];

const FLAGS: &[Case] = &[
    said("trian good.svm --reach 1e-3"),
    said("train good.svm --raech 1e-3"),
    said("train --reach 1e-3"),
    said("train good.svm"),
    said("train good.svm --reach 1e-3 --within 5"),
    said("train good.svm --reach 0"),
    said("train good.svm --reach little"),
    said("train good.svm --within soon"),
    said("train good.svm --spend 1"),
    said("train good.svm --reach-metric accuracy=0.9"),
    said("train good.svm --reach-metric accuracy=1.5 --test good.svm"),
    said("train good.svm --reach-metric rmse=0.1 --test good.svm"),
    said("train good.svm --reach-metric accuracy --test good.svm"),
    said("train good.svm --reach 1e-3 --loss cubic"),
    said("train good.svm --reach 1e-3 --l2 -1"),
    said("train good.svm --reach 1e-3 --l1 nan"),
    said("train good.svm --reach 1e-3 --machines 4..2"),
    said("train good.svm --reach 1e-3 --machines few"),
    said("train good.svm --reach 1e-3 --algorithms gd,sgdx"),
    said("train good.svm --reach 1e-3 --algorithms noop"),
    said("train good.svm --reach 1e-3 --max-time 0"),
    said("train good.svm --reach 1e-3 --eval-every 0"),
    said("train good.svm --reach 1e-3 --model nowhere/m.json"),
    said("train good.svm --reach 1e-3 --model m.pickle"),
    said("train good.svm other.svm --reach 1e-3"),
    said("train absent.svm --reach 1e-3 --path 0"),
    said("train absent.svm --reach 1e-3 --path 5 --path-ratio 2"),
    said("train absent.svm --reach 1e-3 --path 5 --cross-validate 1"),
    said("run good.svm --machines 1"),
    said("run good.svm --algorithm cocao --machines 1"),
    said("run good.svm --algorithm cocoa+:epochs=0 --machines 2"),
    said("run good.svm --algorithm gd:epochs=2 --machines 2"),
    said("run good.svm --algorithm strads --machines 2 --schedule dynamic:pipeline=2 --reach 1e-3"),
    said("run synth:ratings --problem mf --algorithm als:cuts=measured:cuts=measured --machines 2 --rounds 1"),
    said("run good.svm --algorithm gd --machines 0"),
    said("run good.svm --algorithm gd --machines 99999999999"),
    said("train good.svm --reach 1e-3 --machines 1..99999999999"),
    said("run good.svm --algorithm gd --machines 1 --rounds 18446744073709551615"),
    said("run good.svm --algorithm gd --machines 1 --rounds 0"),
    said("run good.svm --algorithm noop --machines 1 --reach 1e-3"),
    said("run good.svm --algorithm newton --machines 1 --loss hinge"),
    said("run good.svm --algorithm gd --machines 1 --fraction 2"),
    said("fit times.csv --plot fit.png"),
    said("fit times.csv --targets 0"),
];

const MODELS: &[Case] = &[
    said("predict nowhere.json good.svm"),
    of("words.json", "predict words.json good.svm"),
    of("stranger.json", "predict stranger.json good.svm"),
    of("words.model", "score words.model good.svm"),
    of("classes.model", "score classes.model good.svm"),
    of("solver.model", "score solver.model good.svm"),
    of("short.model", "score short.model good.svm"),
    of("weight.model", "score weight.model good.svm"),
    of("cut.safetensors", "predict cut.safetensors good.svm"),
    of("model.onnx", "predict model.onnx good.svm"),
    of("short.model", "model convert short.model m.json"),
    said("model convert words.model m.pickle"),
];

const RUNS: &[Case] = &[
    said("train --resume nothing"),
    said("run --resume last --store nowhere"),
    of("blank", "train --resume blank"),
    of("torn", "train --resume torn"),
    of("prose", "train --resume prose"),
    of("headless", "train --resume headless"),
    of("damaged", "train --resume damaged"),
    of("newer", "train --resume newer"),
    of("crowded", "train --resume crowded"),
    of("endless", "explain endless --replay"),
    of("elsewhere", "train --resume elsewhere"),
    of("gone", "train --resume gone"),
    said("train good.svm --resume damaged --reach 1e-3"),
    of("damaged", "explain damaged"),
    of("blank", "explain blank"),
    of("headless", "report headless"),
    of("prose", "runs export prose"),
    of("gone", "predict gone good.svm"),
];

const RECORDS: &[Case] = &[
    said("fit nowhere.csv"),
    of("empty", "fit empty"),
    of("no-records.csv", "fit no-records.csv"),
    of("no-machines.csv", "fit no-machines.csv"),
    of("nothing.csv", "fit nothing.csv"),
    of("no-algorithm.csv", "fit no-algorithm.csv"),
    of("no-machine.csv", "fit no-machine.csv"),
    of("crowd.csv", "fit crowd.csv"),
    of("half-a-machine.csv", "fit half-a-machine.csv"),
    of("word-seconds.csv", "fit word-seconds.csv"),
    of("negative-seconds.csv", "fit negative-seconds.csv"),
    of("ragged-records.csv", "fit ragged-records.csv"),
    of("broken.jsonl", "fit broken.jsonl"),
    of("zeros", "fit zeros"),
    of("cut.parquet", "fit cut.parquet"),
    of("times.csv", "fit times.csv --metric accuracy:max"),
    of("percent.csv", "advise percent.csv --reach-metric accuracy=0.9"),
    said("advise times.csv --reach-metric accuracy=93"),
    said("fit times.csv --metric accuracy:min"),
    of("times.csv", "advise times.csv --reach 1e-2"),
    of("times.csv", "advise times.csv"),
    of("prose", "fit prose"),
];

const SYNC: &[Case] = &[
    of("cut-variables.json", "sync simulate cut-variables.json ps --cluster laptop"),
    of("key-variables.json", "sync simulate key-variables.json ps --cluster laptop"),
    of("flat-variables.json", "sync simulate flat-variables.json ps --cluster laptop"),
    of("late-variables.json", "sync simulate late-variables.json ps --cluster laptop"),
    of("twin-variables.json", "sync simulate twin-variables.json ps --cluster laptop"),
    of("no-variables.json", "sync simulate no-variables.json ps --cluster laptop"),
    of("model.onnx", "sync simulate model.onnx ps --cluster laptop"),
    said("sync simulate vgg17 ps --cluster laptop"),
    said("sync simulate vgg16 guess --cluster laptop"),
    of("cut-strategy.json", "sync simulate small.json cut-strategy.json --cluster laptop --machines 2"),
    of("later-strategy.json", "sync simulate small.json later-strategy.json --cluster laptop --machines 2"),
    of("method-strategy.json", "sync simulate small.json method-strategy.json --cluster laptop --machines 2"),
    of("few-strategy.json", "sync simulate small.json few-strategy.json --cluster laptop --machines 2"),
    of("few-strategy.json", "sync run small.json few-strategy.json --cluster laptop --machines 4"),
    of("zero-strategy.json", "sync simulate small.json zero-strategy.json --cluster laptop --machines 2"),
    of("server-strategy.json", "sync explain small.json server-strategy.json --cluster laptop --machines 2"),
    of("server-strategy.json", "sync compare small.json server-strategy.json --cluster laptop --machines 2"),
    of("host.toml", "sync simulate small.json ps --cluster host.toml"),
    of("rack.toml", "sync simulate small.json ps --cluster rack.toml"),
    said("sync simulate vgg16 hierarchical --cluster laptop"),
    said("sync simulate vgg16 ps --cluster local"),
    said("sync simulate vgg16 ps --cluster laptop --machines 9"),
    said("sync search vgg16 --cluster laptop --machines 1"),
    said("sync compare vgg16 --cluster laptop --machines 1"),
    of("crowded.toml", "sync run small.json ring --cluster crowded.toml --machines 5000"),
    said("sync run bert-large ring --cluster laptop --scale 1"),
    said("sync search vgg16 --cluster laptop --from nowhere.jsonl"),
    of("trials.jsonl", "sync search vgg16 --cluster laptop --from trials.jsonl"),
    of("bandwidth.yml", "sync convert bandwidth.yml -o c.toml"),
    of("key.yml", "sync convert key.yml -o c.toml"),
    of("open.yml", "sync convert open.yml -o c.toml"),
    of("tab.yml", "sync convert tab.yml -o c.toml"),
    of("nodes.yml", "sync convert nodes.yml -o c.toml"),
];
