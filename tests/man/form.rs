//! The form of a type as serde reads it: a reader that makes up a value for each field and notes the field's path and kind.

use serde::de::IntoDeserializer;
use serde::de::value::{Error, StringDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What is known of a field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    kind: &'static str,
    is_list: bool,
    is_optional: bool,
    /// The words that it can be, where these are a closed list.
    pub words: Vec<&'static str>,
}

impl Field {
    /// `integer`, `list of objects`, `string or null`.
    pub fn kind(&self) -> String {
        let kind = if self.is_list { format!("list of {}s", self.kind) } else { self.kind.to_owned() };
        if self.is_optional { format!("{kind} or null") } else { kind }
    }
}

/// Every field of a type by its path: `phases[].result.counted.work`.
pub fn fields<T: DeserializeOwned>() -> BTreeMap<String, Field> {
    let notes = RefCell::default();
    for variant in 0..2 {
        let _: T = made_up(variant, &notes);
    }
    notes.into_inner()
}

/// A made-up value with every optional field set; of results the first or second kind.
pub fn sample<T: DeserializeOwned>(variant: usize) -> T {
    made_up(variant, &RefCell::default())
}

fn made_up<T: DeserializeOwned>(variant: usize, notes: &RefCell<BTreeMap<String, Field>>) -> T {
    T::deserialize(Maker { path: String::new(), variant, notes }).expect("a value can be made up for every field")
}

/// Makes up the value at a path.
#[derive(Clone)]
struct Maker<'n> {
    path: String,
    /// Which of several kinds is made up.
    variant: usize,
    notes: &'n RefCell<BTreeMap<String, Field>>,
}

impl Maker<'_> {
    fn note(&self, change: impl FnOnce(&mut Field)) {
        if self.path.is_empty() {
            return;
        }
        let (path, is_item) = self.path.strip_suffix("[]").map_or((self.path.as_str(), false), |path| (path, true));
        let mut notes = self.notes.borrow_mut();
        let field = notes.entry(path.to_owned()).or_default();
        field.is_list |= is_item;
        change(field);
    }

    fn below(&self, key: &str) -> Self {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Self { path, ..self.clone() }
    }

    /// A text that the type of the field reads.
    fn text(&self) -> &'static str {
        match self.path.rsplit('.').next().unwrap_or_default() {
            "phases[]" => "block_write",
            "name" if self.path.ends_with("phases[].name") => "block_write",
            "batch" | "nonce" | "workload_id" => "0123456789abcdef",
            "latency" => "3=1",
            "cache" => "cold",
            "loadfile" => "dbench-0123456789abcdef",
            _ => "words",
        }
    }
}

/// The kind of the items of a list, which may be of several.
fn together(one: &'static str, other: &'static str) -> &'static str {
    if one.is_empty() || one == other { other } else { "value" }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $kind:literal $value:expr;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.note(|field| field.kind = together(field.kind, $kind));
            visitor.$visit($value)
        })*
    };
}

impl<'de> Deserializer<'de> for Maker<'_> {
    type Error = Error;

    numbers! {
        deserialize_u8 visit_u8 "integer" 1;
        deserialize_u16 visit_u16 "integer" 1;
        deserialize_u32 visit_u32 "integer" 1;
        deserialize_u64 visit_u64 "integer" 2;
        deserialize_i32 visit_i32 "integer" 1;
        deserialize_i64 visit_i64 "integer" 1;
        deserialize_f64 visit_f64 "number" 0.5;
        deserialize_bool visit_bool "boolean" true;
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(|field| field.kind = "string");
        visitor.visit_str(self.text())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(|field| field.is_optional = true);
        visitor.visit_some(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.note(|field| field.kind = "object");
        visitor.visit_map(Keys { maker: self, keys: fields })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(|field| field.kind = "object");
        visitor.visit_map(Keys { maker: self, keys: &["KEY"] })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Items { maker: self, left: 1 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        if self.path.ends_with("[]") {
            self.note(|field| field.kind = "list");
        }
        visitor.visit_seq(Items { maker: self, left: length })
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, variants: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let name = variants.get(self.variant).or(variants.first()).copied().unwrap_or_default();
        visitor.visit_enum(Variant { maker: self, name, variants })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        panic!("{}: a kind that no field of the run file had yet", self.path)
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u128 f32 char bytes byte_buf unit unit_struct newtype_struct tuple_struct identifier ignored_any
    }
}

struct Keys<'n> {
    maker: Maker<'n>,
    keys: &'static [&'static str],
}

impl<'de> MapAccess<'de> for Keys<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.keys.first().map(|key| seed.deserialize(IntoDeserializer::<Error>::into_deserializer(*key))).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let (key, rest) = self.keys.split_first().expect("a key before a value");
        self.keys = rest;
        seed.deserialize(self.maker.below(key))
    }
}

struct Items<'n> {
    maker: Maker<'n>,
    left: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let item = Maker { path: format!("{}[]", self.maker.path), ..self.maker.clone() };
        seed.deserialize(item).map(Some)
    }
}

struct Variant<'n> {
    maker: Maker<'n>,
    name: &'static str,
    variants: &'static [&'static str],
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        let name: StringDeserializer<Error> = self.name.to_owned().into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.maker.note(|field| {
            field.kind = "string";
            field.words = self.variants.to_vec();
        });
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        self.maker.note(|field| field.kind = "object");
        seed.deserialize(self.maker.below(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        panic!("{}: a tuple", self.maker.path)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
        panic!("{}: a struct in an enum", self.maker.path)
    }
}
