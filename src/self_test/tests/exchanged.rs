//! Tests of reports on launches with two exchanged arguments.

use gfx906::code_object::Symbol;

use super::problems_on;
use crate::device::{
    Device, DeviceBuffer, DeviceError, DeviceId, Launch, LaunchResult, Limits, Session, Watch,
};
use crate::program::Program;
use crate::report::model::{DeviceReport, Problem};
use crate::tensor::guards::Guards;

/// An emulator that exchanges two arguments in the launches of a kernel.
struct Exchanging {
    kernel: &'static str,
    offsets: [usize; 2],
    bytes: usize,
}

struct ExchangingSession {
    inner: Box<dyn Session>,
    kernel: &'static str,
    offsets: [usize; 2],
    bytes: usize,
}

impl Device for Exchanging {
    fn describe(&self) -> DeviceReport {
        DeviceReport {
            kind: "exchanging".into(),
            description: "the emulator, arguments exchanged".into(),
            card: None,
        }
    }

    fn open(
        &self,
        threads: usize,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError> {
        let inner = DeviceId::Emulator.find().expect("it is there");
        Ok(Box::new(ExchangingSession {
            inner: inner.open(threads, limits, watch)?,
            kernel: self.kernel,
            offsets: self.offsets,
            bytes: self.bytes,
        }))
    }
}

impl Session for ExchangingSession {
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError> {
        self.inner.load(program)
    }

    fn variable(&mut self, module: usize, symbol: &Symbol) -> Result<u64, DeviceError> {
        self.inner.variable(module, symbol)
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<DeviceBuffer, DeviceError> {
        let allocated = self.inner.alloc(name, bytes)?;
        // Buffers of floats end at a whole dword, so an access on either side faults and needs no guard.
        assert_eq!(allocated.guards, Guards::default());
        Ok(allocated)
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.inner.upload(address, data)
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.inner.download(address, data)
    }

    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<LaunchResult, DeviceError> {
        let mut kernarg = launch.kernarg.to_vec();
        if launch.kernel == self.kernel {
            let [a, b] = self.offsets;
            for byte in 0..self.bytes {
                kernarg.swap(a + byte, b + byte);
            }
        }
        let launch = Launch {
            kernarg: &kernarg,
            ..*launch
        };
        self.inner.launch(module, &launch)
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        self.inner.sync()
    }
}

#[test]
fn arguments_that_are_exchanged_are_named() {
    const POINTERS: ([usize; 2], usize) = ([0, 8], 8);
    const SIZES: ([usize; 2], usize) = ([24, 28], 4);
    let square = "M=64,N=64,K=64";
    let recurrent = "T=64,H=3,HV=9,K=64,V=128,gates=slow";
    for (test, part, kernel, (offsets, bytes), words) in [
        ("sub", "n=63", "kernel_sub", POINTERS, "a and b"),
        (
            "gemm_nn",
            square,
            "kernel_gemm_nn_naive",
            POINTERS,
            "A and B",
        ),
        (
            "gemm_nt_naive_64",
            "",
            "kernel_gemm_nt_naive",
            POINTERS,
            "A and B",
        ),
        (
            "gemm_nt_tiled",
            "",
            "kernel_gemm_nt_tiled",
            POINTERS,
            "A and B",
        ),
        (
            "broadcast_mul",
            "S=17,C=33",
            "kernel_broadcast_mul",
            SIZES,
            "S and C",
        ),
        (
            "attn_matrix_64",
            "",
            "kernel_attention_matrix_fused",
            POINTERS,
            "K and K_beta",
        ),
        (
            "attn_pre_computation",
            "",
            "kernel_gemm_tn_naive",
            POINTERS,
            "K and K_beta",
        ),
        (
            "state_update",
            "",
            "kernel_gemm_nt_tiled",
            POINTERS,
            "K_cumdecay and V_new",
        ),
        (
            "recurrent",
            recurrent,
            "gdn_recurrent_f32",
            POINTERS,
            "q and k",
        ),
    ] {
        let device = Exchanging {
            kernel,
            offsets,
            bytes,
        };
        let report = problems_on(&device, test, &[part], None);
        let outputs = report.outputs.iter();
        let named = outputs
            .filter_map(|output| output.problem.as_ref())
            .any(|problem| {
                let (Problem::Mismatch { hypotheses, .. } | Problem::NonFinite { hypotheses, .. }) =
                    problem
                else {
                    return false;
                };
                hypotheses.iter().any(|hypothesis| {
                    hypothesis.name == "arguments-exchanged"
                        && hypothesis.explanation == format!("{words} are exchanged")
                        && hypothesis.explains_all
                })
            });
        assert!(named, "{test}: {report:#?}");
    }
}
