//! The style sheet of the page: the colours, light and dark and for print; what hides a target; and the rules for everything else.

use crate::report::svg::{TARGETS, classes, variables};

/// The style sheet for a page whose largest part has so many targets, with the rules for details where it has any.
pub fn style(targets: usize, has_details: bool) -> String {
    let (light, dark) = (variables(false), variables(true));
    let swatches: String = TARGETS.iter().map(|paint| format!(".b-{0}{{background:var(--{0})}}\n", paint.name)).collect();
    // A target is hidden without a script: by the switch in its part that is not checked.
    let hides = |number| format!(".part:has(.show{number}:not(:checked)) .t{number}{{display:none}}\n");
    let hiding: String = (1..=targets).map(hides).collect();
    let details = if has_details { include_str!("details.css") } else { "" };
    format!(
        ":root{{color-scheme:light dark;{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{}{}{swatches}{hiding}{details}",
        include_str!("style.css"),
        classes(),
    )
}
