//! Sunzi's riddle: counted by threes two remain, by fives three, by sevens two. How many things are there?
//!
//! `cargo run --example riddle`

use std::error::Error;
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{Base, BaseExtension, Fixed, Residues};

fn main() -> Result<(), Box<dyn Error>> {
    let base = Base::new(&[3, 5, 7])?;
    let things = Residues::new(&base, vec![2, 3, 2])?;
    println!("{} things, or {} more", things.to_uint(), base.product());

    // Base extension: the residues modulo other numbers, without the number itself.
    let a = Base::new(&[255, 254, 253, 251])?;
    let b = Base::new(&[249, 247, 241, 239])?;
    let extension = Kawamura::with_fewest_bits(&a, &b, Fixed::HALF)?;
    let square = {
        let x = Residues::reduced(&a, &things.to_uint());
        &x * &x
    };
    let extended = extension.extend(&square);
    println!(
        "squared, modulo {:?}: {:?}",
        [255, 254, 253, 251],
        square.values()
    );
    println!(
        "         modulo {:?}: {:?}",
        [249, 247, 241, 239],
        extended.values()
    );
    assert_eq!(extended.to_uint(), square.to_uint());
    Ok(())
}
