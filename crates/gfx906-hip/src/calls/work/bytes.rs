//! Access to ranges that may span several allocations. Only mapped memory has neighbours; other allocations lie apart.

use gfx906::machine::Gpu;

use crate::boundary::Address;
use crate::error::{HipError, HipResult};

/// Returns the size of the part of a range that lies in one allocation.
fn part(gpu: &Gpu, address: Address, bytes: usize) -> HipResult<usize> {
    let (base, size) = gpu.allocation_at(address).ok_or(HipError::InvalidValue)?;
    let left = base + size - address;
    Ok(usize::try_from(left).map_or(bytes, |left| left.min(bytes)))
}

/// Copies to the device.
pub fn write(gpu: &Gpu, mut address: Address, mut data: &[u8]) -> HipResult {
    while gpu.write(address, data).is_err() {
        let (first, rest) = data.split_at(part(gpu, address, data.len())?);
        let written = gpu.write(address, first);
        written.map_err(|_| HipError::InvalidValue)?;
        address += first.len() as u64;
        data = rest;
    }
    Ok(())
}

/// Copies from the device.
pub fn read(gpu: &Gpu, mut address: Address, mut data: &mut [u8]) -> HipResult {
    while gpu.read(address, data).is_err() {
        let (first, rest) = data.split_at_mut(part(gpu, address, data.len())?);
        let copied = gpu.read(address, first);
        copied.map_err(|_| HipError::InvalidValue)?;
        address += first.len() as u64;
        data = rest;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gfx906::machine::{Region, Words};

    use super::*;

    #[test]
    fn a_range_over_neighbours_is_one_to_the_host() {
        let gpu = Gpu::new();
        for at in [0x10_0000, 0x10_1000] {
            let words = Words::try_new(4096).expect("memory");
            let region = Region::with_words("part", at, 4096, words).expect("fits");
            gpu.attach(region).expect("free");
        }
        let text: Vec<u8> = (0..100).collect();
        let mut back = [0; 100];
        assert_eq!(write(&gpu, 0x10_1000 - 40, &text), Ok(()));
        assert_eq!(read(&gpu, 0x10_1000 - 40, &mut back), Ok(()));
        assert_eq!(back[..], text[..]);
        let beyond = write(&gpu, 0x10_2000 - 40, &text);
        assert_eq!(beyond, Err(HipError::InvalidValue));
    }
}
