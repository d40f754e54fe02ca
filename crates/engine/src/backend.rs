//! Backends: the devices that an engine computes with, and perhaps a forced layout.

use core::{fmt, str::FromStr};
use std::sync::Arc;

use crate::{
    EngineError,
    choices::Choices,
    device::Device,
    layout::ForcedLayout,
    registry::{REGISTRY, Registration},
};

/// A choice of devices for an engine: one device, and others for the sizes and batches that it does not
/// serve. With a [layout](Self::with_layout), that one device in that layout only.
///
/// Written as its name, or as name and layout: `avx512`, `avx512:spread`, `portable:lanes8`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Backend {
    name: &'static str,
    layout: Option<ForcedLayout>,
}

impl Backend {
    /// Limbs of 32 bits on an NVIDIA card for large batches, the devices of [`Self::CUDA_MATRIX`] for those modulo large
    /// numbers, and those of the fastest backend of the processor for the others.
    pub const CUDA: Self = Self::named("cuda");
    /// Residues of 15 bits on the matrix units of an NVIDIA card for large batches modulo numbers of 1024 to 4096 bits, and
    /// the devices of the fastest backend of the processor for the others.
    pub const CUDA_MATRIX: Self = Self::named("cuda-matrix");
    /// 52-bit residues on AVX-512 IFMA for single numbers, the device of [`Self::OCTET`] for those of few bits, and the
    /// devices of [`Self::RADIX52`] for batches.
    pub const AVX512: Self = Self::named("avx512");
    /// 52-bit residues on AVX-512 IFMA in two registers for single numbers of up to 391 bits, and the devices of
    /// [`Self::RADIX52`] for the others.
    pub const OCTET: Self = Self::named("octet");
    /// Limbs of 52 bits, no residues, on AVX-512 IFMA.
    pub const RADIX52: Self = Self::named("radix52");
    /// Residues of 24 bits in float64, with AVX-512F or AVX2 where the processor has them, for single numbers, and the
    /// devices of [`Self::FUSED52`] for batches.
    pub const FLOAT: Self = Self::named("float");
    /// Limbs of 52 bits, no residues, multiplied in float64 with AVX-512F or AVX2, or as integers with AVX-IFMA.
    pub const FUSED52: Self = Self::named("fused52");
    /// Portable Rust that the compiler vectorizes; runs everywhere.
    pub const PORTABLE: Self = Self::named("portable");
    /// Words of 64 bits, no residues, one number after the other; runs everywhere.
    pub const RADIX64: Self = Self::named("radix64");

    /// Every backend of this version, the fastest first, whether this processor can run it
    /// or not.
    pub const ALL: &'static [Self] = &[
        Self::CUDA_MATRIX,
        Self::CUDA,
        Self::AVX512,
        Self::OCTET,
        Self::RADIX52,
        Self::FLOAT,
        Self::FUSED52,
        Self::PORTABLE,
        Self::RADIX64,
    ];

    const fn named(name: &'static str) -> Self {
        Self { name, layout: None }
    }

    /// The fastest backend that this processor can run. Detects only, and changes nothing. A card is not looked for: keys
    /// go to one only where its name says so.
    pub fn best() -> Self {
        let mut own = Self::ALL
            .iter()
            .copied()
            .filter(|backend| !backend.is_card());
        let present = own.find(|backend| backend.check().is_ok());
        present.unwrap_or(Self::PORTABLE)
    }

    /// The backend that stands in for a name of the previous version, which this version still reads: `avx512` for
    /// `amx`, whose matrix tiles were no faster.
    pub fn successor(name: &str) -> Option<Self> {
        (name == "amx").then_some(Self::AVX512)
    }

    /// The name used on the command line, without the layout.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The layout that is forced, if one is.
    pub fn layout(self) -> Option<ForcedLayout> {
        self.layout
    }

    /// The backend's device in this layout only.
    #[must_use]
    pub fn with_layout(self, layout: ForcedLayout) -> Self {
        Self {
            layout: Some(layout),
            ..self
        }
    }

    /// Whether this processor can run it; if not, the error names the missing feature. Detects only, and
    /// changes nothing.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`], or [`EngineError::UnknownLayout`] if it has no such
    /// layout.
    pub fn check(self) -> Result<(), EngineError> {
        self.devices().map(drop)
    }

    /// A description, in a few words, of how it computes on this processor.
    pub fn describe(self) -> String {
        (self.registration().describe)()
    }

    /// Whether its first device is a card beside the processor.
    pub(crate) fn is_card(self) -> bool {
        self.registration().is_card
    }

    fn registration(self) -> &'static Registration {
        let found = REGISTRY.iter().find(|device| device.name == self.name);
        found.unwrap_or(&REGISTRY[REGISTRY.len() - 1])
    }

    /// The devices, the one that serves everything last.
    pub(crate) fn devices(self) -> Result<Vec<Arc<dyn Device>>, EngineError> {
        self.devices_with(Choices::USUAL)
    }

    /// The devices with plans of these choices. For random splits they are the devices that compute in
    /// residues, for redundancy the devices that have redundant channels.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`], [`EngineError::UnknownLayout`],
    /// [`EngineError::NoBases`] for a random split if the first device has no bases, and
    /// [`EngineError::NoRedundancy`] if no device has redundant channels and there must be some.
    pub(crate) fn devices_with(
        self,
        choices: Choices,
    ) -> Result<Vec<Arc<dyn Device>>, EngineError> {
        let unavailable = |missing| EngineError::BackendUnavailable {
            backend: self.name,
            missing,
        };
        let registration = self.registration();
        let serves = |device: &Registration| {
            (device.has_bases || !choices.split.is_random())
                && (device.has_redundancy || choices.redundancy == 0)
        };
        let without = EngineError::NoRedundancy { backend: self.name };
        if choices.split.is_random() && !registration.has_bases {
            return Err(EngineError::NoBases { backend: self.name });
        }
        let device = (registration.detect)(choices).map_err(unavailable)?;
        if self.layout.is_some() && !serves(registration) {
            return Err(without);
        }
        if let Some(forced) = self.layout {
            let mut layouts = device.layouts(SIZE_OF_ALL);
            let small = device.layouts(SMALL_SIZE).into_iter();
            layouts.extend(
                small
                    .filter(|layout| !layouts.contains(layout))
                    .collect::<Vec<_>>(),
            );
            if !layouts.iter().any(|&layout| forced.allows(layout)) {
                let known = layouts.iter().map(|layout| {
                    let (kind, width) = (layout.kind(), layout.width());
                    format!("{kind}{width}")
                });
                return Err(EngineError::UnknownLayout {
                    backend: self.name,
                    layout: forced.to_string(),
                    known: known.collect::<Vec<_>>().join(", "),
                });
            }
            return Ok(vec![device]);
        }
        let mut devices: Vec<_> = serves(registration).then_some(device).into_iter().collect();
        let after = |device: &Registration| match device.fallback {
            None if device.is_card => Some(Self::best().name),
            next => next,
        };
        let mut next = after(registration);
        while let Some(fallback) = REGISTRY.iter().find(|device| Some(device.name) == next) {
            // A processor may have instructions for one device and lack those for another.
            devices.extend((serves(fallback).then(|| (fallback.detect)(choices).ok())).flatten());
            next = after(fallback);
        }
        if devices.is_empty() {
            return Err(without);
        }
        Ok(devices)
    }

    fn names() -> String {
        Self::ALL
            .iter()
            .map(|backend| backend.name())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// A size that every device serves.
pub(crate) const SIZE_OF_ALL: u32 = 2048;
/// A size for which devices have layouts that large sizes do not have, in bits.
pub(crate) const SMALL_SIZE: u32 = 256;

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)?;
        self.layout.map_or(Ok(()), |layout| write!(f, ":{layout}"))
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Backend {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let (name, layout) = match text.split_once(':') {
            Some((name, layout)) => (name, Some(layout)),
            None => (text, None),
        };
        let named = |&&backend: &&Self| backend.name == name;
        let known = Self::ALL.iter().find(named).copied();
        let backend =
            known
                .or_else(|| Self::successor(name))
                .ok_or_else(|| EngineError::UnknownBackend {
                    name: text.into(),
                    known: Self::names(),
                })?;
        let Some(layout) = layout else {
            return Ok(backend);
        };
        let forced = layout.parse().map_err(|()| EngineError::UnknownLayout {
            backend: backend.name,
            layout: layout.into(),
            known: String::from("lanes, spread or single, with or without a width: lanes16"),
        })?;
        Ok(backend.with_layout(forced))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_are_tried_in_the_order_of_the_registry() {
        let registered = REGISTRY.iter().map(|device| device.name);
        assert!(registered.eq(Backend::ALL.iter().map(|backend| backend.name())));
        if Backend::AVX512.check().is_ok() {
            assert_eq!(Backend::best(), Backend::AVX512);
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for text in [
            "radix64:single",
            "avx512:spread",
            "avx512:lanes16",
            "portable:lanes8",
        ] {
            let backend: Backend = text.parse().unwrap();
            assert_eq!(backend.to_string(), text);
        }
        assert_eq!("portable".parse(), Ok(Backend::PORTABLE));
        assert_eq!("amx".parse(), Ok(Backend::AVX512));
        let refused = [
            "",
            "abacus",
            ":lanes",
            "avx512:",
            "avx512:beads",
            "avx512:lanes1x",
        ];
        for text in refused {
            assert!(text.parse::<Backend>().is_err(), "{text}");
        }
        let narrow: Backend = "portable:lanes16".parse().unwrap();
        let error = narrow.check().unwrap_err();
        assert!(error.to_string().contains("lanes8"), "{error}");
    }
}
