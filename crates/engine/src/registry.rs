//! The registry: an entry for each device. A new device is a module in `limbs`, `residues` or `words`, and an
//! entry here.

use std::sync::Arc;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
use crate::cuda;
#[cfg(target_arch = "x86_64")]
use crate::limbs;
use crate::{choices::Choices, device::Device, residues, words};

/// The registration of a device, on processors with and without it.
pub(crate) struct Registration {
    /// The name of the device, as on the command line.
    pub(crate) name: &'static str,
    /// The device for sizes and groups that this one does not serve.
    pub(crate) fallback: Option<&'static str>,
    /// Returns the device, or the instructions that the processor lacks. Devices disregard choices that do
    /// not apply to them.
    pub(crate) detect: fn(Choices) -> Result<Arc<dyn Device>, &'static str>,
    /// Whether it is a card beside the processor. Cards are never chosen unasked, and the processor's fastest device is
    /// the fallback of the last one.
    pub(crate) is_card: bool,
    /// Whether its bases of residues can be drawn at random, for every size.
    pub(crate) has_bases: bool,
    /// Whether its plans can have redundant channels.
    pub(crate) has_redundancy: bool,
    /// A description of a few words: residues and instructions on this processor.
    pub(crate) describe: fn() -> String,
}

/// All devices, the fastest first.
pub(crate) const REGISTRY: &[Registration] = &[
    Registration {
        name: "cuda-matrix",
        fallback: None,
        #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
        detect: |_| Ok(Arc::new(cuda::CudaMatrix::detect()?)),
        #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
        detect: |_| Err("cards are used on Linux with processors of 64 bits"),
        is_card: true,
        has_bases: false,
        has_redundancy: false,
        #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
        describe: cuda::describe_matrix,
        #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
        describe: String::new,
    },
    Registration {
        name: "cuda",
        fallback: Some("cuda-matrix"),
        #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
        detect: |_| Ok(Arc::new(cuda::Cuda::detect()?)),
        #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
        detect: |_| Err("cards are used on Linux with processors of 64 bits"),
        is_card: true,
        has_bases: false,
        has_redundancy: false,
        #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
        describe: cuda::describe,
        #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
        describe: String::new,
    },
    #[cfg(target_arch = "x86_64")]
    Registration {
        name: "avx512",
        fallback: Some("octet"),
        detect: |choices| Ok(Arc::new(residues::Avx512::detect(choices)?)),
        is_card: false,
        has_bases: true,
        has_redundancy: true,
        describe: || "52-bit residues, AVX-512 IFMA; batches as radix52".into(),
    },
    #[cfg(target_arch = "x86_64")]
    Registration {
        name: "octet",
        fallback: Some("radix52"),
        detect: |_| Ok(Arc::new(residues::OctetDevice::detect()?)),
        is_card: false,
        has_bases: false,
        has_redundancy: false,
        describe: || {
            "52-bit residues, AVX-512 IFMA, a number in two registers; batches as radix52".into()
        },
    },
    #[cfg(target_arch = "x86_64")]
    Registration {
        name: "radix52",
        fallback: Some("radix64"),
        detect: |_| Ok(Arc::new(limbs::Radix52::detect()?)),
        is_card: false,
        has_bases: false,
        has_redundancy: false,
        describe: || "limbs of 52 bits, AVX-512 IFMA".into(),
    },
    #[cfg(not(target_arch = "x86_64"))]
    Registration::for_x86("avx512", "octet"),
    #[cfg(not(target_arch = "x86_64"))]
    Registration::for_x86("octet", "radix52"),
    #[cfg(not(target_arch = "x86_64"))]
    Registration::for_x86("radix52", "radix64"),
    Registration {
        name: "float",
        fallback: Some("fused52"),
        detect: |choices| Ok(Arc::new(residues::FloatDevice::detect(choices.split))),
        is_card: false,
        has_bases: true,
        has_redundancy: false,
        describe: residues::Instructions::describe,
    },
    #[cfg(target_arch = "x86_64")]
    Registration {
        name: "fused52",
        fallback: Some("portable"),
        detect: |_| limbs::fused52::detect(),
        is_card: false,
        has_bases: false,
        has_redundancy: false,
        describe: limbs::fused52::describe,
    },
    #[cfg(not(target_arch = "x86_64"))]
    Registration::for_x86("fused52", "portable"),
    Registration {
        name: "portable",
        fallback: Some("radix64"),
        detect: |choices| Ok(Arc::new(residues::PortableDevice::detect(choices))),
        is_card: false,
        has_bases: true,
        has_redundancy: true,
        describe: || format!("28-bit residues, {}", residues::Portable::describe()),
    },
    Registration {
        name: "radix64",
        fallback: None,
        detect: |_| Ok(Arc::new(words::Radix64)),
        is_card: false,
        has_bases: false,
        has_redundancy: false,
        describe: words::describe,
    },
];

#[cfg(not(target_arch = "x86_64"))]
impl Registration {
    /// The registration of a device that exists on x86-64 processors only. Its fallback is there everywhere, as others
    /// come to it by way of this one.
    const fn for_x86(name: &'static str, fallback: &'static str) -> Self {
        Self {
            name,
            fallback: Some(fallback),
            detect: |_| Err("it is for x86-64 processors"),
            is_card: false,
            has_bases: true,
            has_redundancy: true,
            describe: String::new,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every processor's device the fallbacks lead to the one that serves everything, on every architecture.
    #[test]
    fn fallbacks_end_at_words() {
        for registration in REGISTRY.iter().filter(|device| !device.is_card) {
            let mut last = registration;
            while let Some(name) = last.fallback {
                last = REGISTRY.iter().find(|device| device.name == name).unwrap();
            }
            assert_eq!(last.name, "radix64", "{}", registration.name);
        }
    }
}
