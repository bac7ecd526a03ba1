"""How the browser looks, in Textual's CSS."""

STYLES = """
Screen { layers: base; }
#main { height: 1fr; }
#side { display: block; }

.-wide #main, #main { layout: horizontal; }
.-wide #side { width: 40%; max-width: 90; height: 1fr; }
.-wide #source { height: 1fr; }
.-wide #calls, .-wide #findings { height: 1fr; }

.-narrow #main { layout: vertical; }
.-narrow #side { width: 1fr; height: 35%; min-height: 6; }
.-narrow #source { display: none; }
.-narrow #source.-chosen { display: block; height: 1fr; }

#source { display: block; border: round $primary; }
#calls, #findings { display: none; border: round $primary; }
#calls.-chosen, #findings.-chosen { display: block; height: 1fr; }
#calls:focus-within, #findings:focus-within { border: round $accent; }
#chain { height: auto; max-height: 50%; text-wrap: nowrap; text-overflow: ellipsis; }
#verdict { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
#functions, #list { height: 1fr; background: $background; }

#records { background: $background; }
#notice { display: none; height: auto; max-height: 6; padding: 0 1; }
#status {
    height: 1; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
}
#prompt { height: 3; border: round $accent; background: $background; }

.records--number { color: $text-muted; }
.records--kind { color: $text-primary; }
.records--place { color: $text-secondary; }
.records--finding { color: $text-error; text-style: bold; }
.records--cursor {
    background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold;
}
"""
