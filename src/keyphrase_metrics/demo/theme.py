"""How the demos look: one theme with enough contrast in light and dark, and fonts of the visitor's own machine."""

from __future__ import annotations

from importlib import resources
from typing import Any

from keyphrase_metrics.demo import visuals

_SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")

# light, dark: the colours of the reports
_COLOURS = {
    "body_background_fill": ("#fff", "#15181c"),
    "body_text_color": ("#1c1f23", "#e7e9ec"),
    "body_text_color_subdued": ("#565d66", "#a9b1ba"),
    "background_fill_primary": ("#fff", "#15181c"),
    "background_fill_secondary": ("#f3f5f7", "#1f242a"),
    "border_color_primary": ("#d5d9de", "#3a4149"),
    "border_color_accent": ("#0b5cad", "#7fb9ff"),
    "color_accent": ("#0b5cad", None),
    "color_accent_soft": ("#e7f0fa", "#1d3350"),
    "link_text_color": ("#0b5cad", "#7fb9ff"),
    "link_text_color_hover": ("#083f78", "#a8d0ff"),
    "link_text_color_active": ("#083f78", "#a8d0ff"),
    "link_text_color_visited": ("#0b5cad", "#7fb9ff"),
    "block_background_fill": ("#fff", "#15181c"),
    "block_border_color": ("#d5d9de", "#3a4149"),
    "block_label_background_fill": ("#fff", "#15181c"),
    "block_label_text_color": ("#1c1f23", "#e7e9ec"),
    "block_title_text_color": ("#1c1f23", "#e7e9ec"),
    "block_info_text_color": ("#565d66", "#a9b1ba"),
    "accordion_text_color": ("#1c1f23", "#e7e9ec"),
    "input_background_fill": ("#fff", "#1f242a"),
    "input_background_fill_focus": ("#fff", "#1f242a"),
    "input_border_color": ("#868e99", "#77808b"),
    "input_border_color_focus": ("#0b5cad", "#7fb9ff"),
    "input_placeholder_color": ("#565d66", "#a9b1ba"),
    "checkbox_background_color": ("#fff", "#1f242a"),
    "checkbox_background_color_selected": ("#0b5cad", "#3f86d6"),
    "checkbox_border_color": ("#6a727c", "#868e99"),
    "checkbox_border_color_selected": ("#0b5cad", "#3f86d6"),
    "checkbox_border_color_focus": ("#0b5cad", "#7fb9ff"),
    "button_primary_background_fill": ("#0b5cad", "#7fb9ff"),
    "button_primary_background_fill_hover": ("#083f78", "#a8d0ff"),
    "button_primary_text_color": ("#fff", "#10151b"),
    "button_primary_text_color_hover": ("#fff", "#10151b"),
    "button_primary_border_color": ("#0b5cad", "#7fb9ff"),
    "button_secondary_background_fill": ("#f3f5f7", "#1f242a"),
    "button_secondary_background_fill_hover": ("#e7f0fa", "#1d3350"),
    "button_secondary_text_color": ("#1c1f23", "#e7e9ec"),
    "button_secondary_text_color_hover": ("#1c1f23", "#e7e9ec"),
    "button_secondary_border_color": ("#868e99", "#77808b"),
    "button_secondary_border_color_hover": ("#0b5cad", "#7fb9ff"),
    "table_text_color": ("#1c1f23", "#e7e9ec"),
    "table_border_color": ("#d5d9de", "#3a4149"),
    "loader_color": ("#0b5cad", "#7fb9ff"),
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
    colours = {name: light for name, (light, _) in _COLOURS.items()}
    dark = {f"{name}_dark": colour for name, (_, colour) in _COLOURS.items() if colour is not None}
    return base.set(**colours, **dark, **_SIZES)


def css() -> str:
    """Return the style of what Gradio does not draw: scores, tables, messages, pictures."""
    own = resources.files(__package__).joinpath("style.css").read_text("utf-8")
    return f"{own}{visuals.style()}"  # a sum with markup would escape what is not
