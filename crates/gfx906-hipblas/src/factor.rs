//! The factors alpha and beta. The handle's settings say whether they are on the host or on the device.

use half::f16;

use crate::handle::HandleSettings;
use crate::hip::{Address, host_value};
use crate::kinds::ElementType;
use crate::status::{BlasResult, Status};

/// Factor in the form that kernels take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// Address on the device, or 0 for a factor on the host.
    pub at: Address,
    /// Real and imaginary part of a factor on the host.
    pub value: [f64; 2],
}

impl Factor {
    /// Factor 1.
    pub const ONE: Factor = Factor::real(1.0);

    const fn real(value: f64) -> Factor {
        Factor {
            at: 0,
            value: [value, 0.0],
        }
    }

    /// Returns true for the factor 0 on the host. What it is multiplied by is not read.
    pub fn is_zero(self) -> bool {
        self == Factor::real(0.0)
    }

    /// Reads the caller's factor.
    pub fn read(settings: &HandleSettings, at: Address, kind: ElementType) -> BlasResult<Factor> {
        if at == 0 {
            return Err(Status::InvalidPointer);
        }
        if settings.on_device {
            return Ok(Factor {
                at,
                value: [0.0; 2],
            });
        }
        let value = match kind {
            ElementType::F16 => [f16::from_bits(host_value(at)?).to_f64(), 0.0],
            ElementType::F32 => [host_value::<f32>(at)?.into(), 0.0],
            ElementType::F64 => [host_value(at)?, 0.0],
            ElementType::C32 => host_value::<[f32; 2]>(at)?.map(f64::from),
            ElementType::C64 => host_value(at)?,
            ElementType::I32 => [host_value::<i32>(at)?.into(), 0.0],
            ElementType::Bf16 | ElementType::I8 => return Err(Status::NotSupported),
        };
        Ok(Factor { at: 0, value })
    }
}
