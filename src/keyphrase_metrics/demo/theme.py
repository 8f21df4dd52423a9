"""How the demos look: one theme with enough contrast in light and dark, and fonts of the visitor's own machine."""

from __future__ import annotations

from importlib import resources
from typing import Any

from keyphrase_metrics.demo import visuals

_SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")

# The colours of the reports, light and dark, with what has them.
_COLOURS = {
    ("#fff", "#15181c"): "body_background_fill background_fill_primary block_background_fill "
    "block_label_background_fill",
    ("#f3f5f7", "#1f242a"): "background_fill_secondary button_secondary_background_fill",
    ("#e7f0fa", "#1d3350"): "color_accent_soft button_secondary_background_fill_hover",
    ("#fff", "#1f242a"): "input_background_fill input_background_fill_focus checkbox_background_color",
    ("#1c1f23", "#e7e9ec"): "body_text_color block_label_text_color block_title_text_color accordion_text_color "
    "button_secondary_text_color button_secondary_text_color_hover table_text_color",
    ("#565d66", "#a9b1ba"): "body_text_color_subdued block_info_text_color input_placeholder_color",
    ("#fff", "#10151b"): "button_primary_text_color button_primary_text_color_hover",
    ("#d5d9de", "#3a4149"): "border_color_primary block_border_color table_border_color",
    ("#868e99", "#77808b"): "input_border_color button_secondary_border_color",
    ("#6a727c", "#868e99"): "checkbox_border_color",
    ("#0b5cad", "#7fb9ff"): "border_color_accent link_text_color link_text_color_visited input_border_color_focus "
    "checkbox_border_color_focus button_primary_background_fill button_primary_border_color "
    "button_secondary_border_color_hover loader_color",
    ("#0b5cad", "#3f86d6"): "checkbox_background_color_selected checkbox_border_color_selected",
    ("#083f78", "#a8d0ff"): "link_text_color_hover link_text_color_active button_primary_background_fill_hover",
}
_SIZES = {
    "block_border_width": "0px",
    "block_shadow": "none",
    "block_padding": "0px",
    "input_border_width": "1px",
    "block_title_text_weight": "600",
    "block_label_text_weight": "600",
    "button_secondary_shadow": "none",
    "button_primary_shadow": "none",
    "input_shadow": "none",
    "layout_gap": "1rem",
    "form_gap_width": "0px",
}


def theme() -> Any:
    """Return the Gradio theme."""
    import gradio

    base = gradio.themes.Base(font=_SANS, font_mono=_MONO, primary_hue="blue", neutral_hue="slate", radius_size="sm")
    colours = {name: both for both, names in _COLOURS.items() for name in names.split()}
    light = {name: colour for name, (colour, _) in colours.items()}
    dark = {f"{name}_dark": colour for name, (_, colour) in colours.items()}
    return base.set(**light, **dark, **_SIZES, color_accent="#0b5cad")


def css() -> str:
    """Return the style of what Gradio does not draw: scores, tables, messages, pictures."""
    own = resources.files(__package__).joinpath("style.css").read_text("utf-8")
    return f"{own}{visuals.style()}"  # a sum with markup would escape what is not
