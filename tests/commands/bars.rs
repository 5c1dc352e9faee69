//! Upper bounds on the counters of the optimised kernels: instructions per token of a head, numbers of launches, no spills.

use std::path::Path;

use serde_json::Value;

use super::run;

/// Launches of a case of `tests/data/bars.toml`.
fn launches(id: &str) -> Vec<Value> {
    let registry = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/bars.toml");
    let done = run(
        Path::new("."),
        &[
            "profile",
            "--registry",
            registry,
            "--test",
            id,
            "--format",
            "json",
        ],
    );
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let report: Value = serde_json::from_str(&done.out).expect("JSON");
    let profiles = report["profiles"].as_array().expect("a list");
    let launches = profiles.iter().flat_map(|of| of["launches"].as_array());
    let launches: Vec<Value> = launches.flatten().cloned().collect();
    for launch in &launches {
        let resources = &launch["resources"];
        for (of, most) in [("scratch", 0), ("vgpr_spills", 0), ("sgpr_spills", 0)] {
            assert_eq!(resources[of], most, "{id}: {of} of {}", launch["kernel"]);
        }
    }
    launches
}

/// Divides a counter of a launch by a number.
fn each(launch: &Value, counter: &str, of: u64) -> f64 {
    let count = launch[counter].as_u64().expect("a count");
    count as f64 / of as f64
}

fn traffic(launch: &Value, of: u64) -> f64 {
    let bytes = |way: &str| launch["unique_bytes"][way].as_u64().expect("bytes");
    (bytes("read") + bytes("written")) as f64 / of as f64
}

/// Tokens of heads in the cases of sequences.
const HEAD_TOKENS: u64 = 256 * 4;

#[track_caller]
fn at_most(got: f64, most: f64) {
    assert!(got <= most, "{got} is over {most}");
}

/// K1: a decode step of a layer.
#[test]
fn a_decode_step_is_a_launch_and_moves_little_but_the_state() {
    let launches = launches("decode");
    assert_eq!(launches.len(), 1);
    at_most(each(&launches[0], "valu_instructions", 1), 80_000.0);
    let states = 2 * 32 * 128 * 128 * 4;
    at_most(traffic(&launches[0], states), 1.2);
    // The goal is 8 us for a layer, without launching.
    let kernel = launches[0]["model"]["kernel"].as_f64();
    at_most(kernel.expect("seconds"), 8e-6);
}

/// Decode steps on states of 16 bits, of one sequence and of eight.
#[test]
fn decoding_on_16_bits_takes_little_longer_than_its_bytes() {
    let launches = launches("decode on 16 bits");
    assert_eq!(launches.len(), 4, "four cases");
    for launch in &launches {
        let model = &launch["model"];
        let kernel = model["kernel"].as_f64().expect("seconds");
        if launch["grid"][2] == 1 {
            at_most(kernel, 4.5e-6);
        } else {
            let bytes = model["terms"]["memory"].as_f64().expect("seconds");
            at_most(kernel, bytes / 0.85);
        }
    }
}

/// K2: scans, with the gates of a model and with gates that forget everything at once.
#[test]
fn a_scan_is_a_launch_without_barriers() {
    let launches = launches("scan");
    assert_eq!(launches.len(), 2, "two cases");
    for launch in &launches {
        at_most(each(launch, "valu_instructions", HEAD_TOKENS), 1200.0);
        assert_eq!(launch["barriers"], 0);
        assert_eq!(launch["lds_cycles"], 0);
    }
}

/// Chunks with products in f16: a preparation and a scan, which together take about half of K2's vector instructions.
#[test]
fn products_in_f16_take_half_of_the_instructions() {
    let launches = launches("half");
    assert_eq!(launches.len(), 2);
    let all = |counter: &str| -> f64 {
        let each = launches
            .iter()
            .map(|launch| each(launch, counter, HEAD_TOKENS));
        each.sum()
    };
    at_most(all("valu_instructions"), 600.0);
    at_most(all("lds_cycles"), 720.0);
}

/// K3: chunks in one launch.
#[test]
fn fused_chunks_are_a_launch() {
    let launches = launches("fused");
    assert_eq!(launches.len(), 1);
    let launch = &launches[0];
    at_most(each(launch, "valu_instructions", HEAD_TOKENS), 1110.0);
    at_most(each(launch, "lds_cycles", HEAD_TOKENS), 370.0);
    at_most(
        launch["resources"]["lds"].as_f64().expect("bytes"),
        32_768.0,
    );
}

/// K6: a triangular solve by a wave.
#[test]
fn a_solve_is_a_wave() {
    let launches = launches("solve");
    assert_eq!(launches.len(), 1);
    assert_eq!(launches[0]["waves"], 1);
    at_most(each(&launches[0], "valu_instructions", 1), 2100.0);
}

/// K7: a layer of the document, however many chunks it has.
#[test]
fn a_layer_is_a_launch() {
    assert_eq!(launches("layer").len(), 1);
}
