"""Where the parts of the full-screen view stand and how they are coloured, in the style sheets of Textual."""

from pitwatch.floor.watch import looks

CSS = f"""
Screen {{ background: #000000; color: {looks.PLAIN}; }}
#top, .top, .head {{ height: 1; text-style: bold; }}
#top, .top, .head, .banner, #detail, #foot, .keys {{ text-wrap: nowrap; text-overflow: ellipsis; }}
.head {{ background: #222222; }}
.banner {{ height: 1; display: none; background: {looks.VERMILLION}; color: #000000; text-style: bold; }}
.banner.on {{ display: block; }}
Rows {{ background: #000000; }}
#concerns {{ height: 3fr; min-height: 3; }}
#tables {{ height: 3fr; min-height: 3; }}
#detail {{ height: 2fr; min-height: 4; }}
#beside {{ display: none; dock: right; width: 42%; height: 100%; padding: 0 1; border-left: solid {looks.SKY}; }}
.wide #beside {{ display: block; }}
#foot, .keys {{ height: 1; background: #222222; dock: bottom; }}
#search {{ display: none; dock: bottom; height: 1; }}
#search.on {{ display: block; }}
ModalScreen {{ align: center middle; background: #000000 60%; }}
Page {{ background: #000000; }}
#page {{ width: 100%; height: 1fr; padding: 0 1; background: #000000; }}
.box {{ width: 80; max-width: 100%; height: auto; max-height: 100%; border: solid {looks.SKY}; padding: 0 1;
        background: #000000; }}
.box Static {{ height: auto; }}
"""
