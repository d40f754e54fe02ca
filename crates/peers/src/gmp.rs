//! GMP, through the crate `rug`: modular powers in constant time (`mpz_powm_sec`) and in variable
//! time (`mpz_powm`). GMP has no RSA.

use crate::interface::{MakePower, Peer, PeerError, Power};
use gmp_mpfr_sys::gmp::{VERSION, VERSION_MINOR, VERSION_PATCHLEVEL};
use rug::integer::Order;
use rug::{Assign, Integer};

pub(crate) fn peers() -> [Peer; 2] {
    let version = format!("{VERSION}.{VERSION_MINOR}.{VERSION_PATCHLEVEL}");
    let peer = |name, short, power: MakePower| Peer {
        name,
        short,
        signer: None,
        verifier: None,
        power: Some(power),
        curves: None,
        pairing_group: None,
        pairing: None,
        bls: None,
        groups: None,
    };
    [
        peer(format!("gmp {version}"), "gmp", |b, e, m| {
            Ok(Box::new(ConstantTime(Numbers::new(b, e, m)?)))
        }),
        peer(
            format!("gmp {version} mpz_powm (variable time)"),
            "powm",
            |b, e, m| Ok(Box::new(VariableTime(Numbers::new(b, e, m)?))),
        ),
    ]
}

struct Numbers {
    base: Integer,
    exponent: Integer,
    modulus: Integer,
    result: Integer,
}

impl Numbers {
    fn new(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Self, PeerError> {
        let [base, exponent, modulus] =
            [base, exponent, modulus].map(|bytes| Integer::from_digits(bytes, Order::Msf));
        if modulus.is_even() || exponent.is_zero() {
            return Err(PeerError::Gmp(
                "powers take an odd modulus and an exponent above 0",
            ));
        }
        Ok(Self {
            base,
            exponent,
            modulus,
            result: Integer::new(),
        })
    }

    fn result(&self, length: usize) -> Result<Vec<u8>, PeerError> {
        let digits = self.result.to_digits::<u8>(Order::Msf);
        let zeros = length
            .checked_sub(digits.len())
            .ok_or(PeerError::Gmp("the result is too long"))?;
        Ok([vec![0; zeros], digits].concat())
    }
}

struct ConstantTime(Numbers);

impl Power for ConstantTime {
    fn compute(&mut self) -> Result<(), PeerError> {
        let Numbers {
            base,
            exponent,
            modulus,
            result,
        } = &mut self.0;
        result.assign(base.secure_pow_mod_ref(exponent, modulus));
        Ok(())
    }

    fn result(&self, length: usize) -> Result<Vec<u8>, PeerError> {
        self.0.result(length)
    }
}

struct VariableTime(Numbers);

impl Power for VariableTime {
    fn compute(&mut self) -> Result<(), PeerError> {
        let Numbers {
            base,
            exponent,
            modulus,
            result,
        } = &mut self.0;
        let power = base
            .pow_mod_ref(exponent, modulus)
            .ok_or(PeerError::Gmp("the power does not exist"))?;
        result.assign(power);
        Ok(())
    }

    fn result(&self, length: usize) -> Result<Vec<u8>, PeerError> {
        self.0.result(length)
    }
}
