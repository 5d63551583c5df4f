package render

// page writes the whole of it, from top to bottom.
func (p *htmlWriter) page(x htmlPage) {
	p.head(x)
	p.top(x)
	p.filter(x)
	many := ""
	if x.Many {
		many = " many"
	}
	p.put(`<main id="main" class="wide{}" tabindex="-1">`, many)
	p.gaps(x.Gaps)
	if x.Base != "" {
		p.edits(x.Base, x.Edits)
	}
	p.findings(x.Findings)
	p.days(x.Days, x.Axis)
	p.roles(x)
	p.coverage(x.Parts)
	p.notes(x.Notes)
	p.put(`
</main>
<footer class="wide dim">A saved report renders to this page again: <code>rolecall render report.json -o html</code></footer>
`)
	p.own("script", htmlScript)
	p.put(`
</body>
</html>
`)
}

func (p *htmlWriter) head(x htmlPage) {
	p.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>{}: {} (rolecall)</title>
`, htmlPolicy(), x.Verdict, x.Name)
	p.own("style", htmlStyle)
	p.put(`
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
`)
}

func (p *htmlWriter) top(x htmlPage) {
	p.put(`<header class="top">
<div class="wide">
<div class="brand"><b>rolecall</b> <span class="dim">audit of</span> {}<button type="button" id="theme" class="quiet" hidden>Theme: system</button></div>
<div class="verdict {}"><h1><span class="sign" aria-hidden="true">{}</span> {}</h1><p>{}</p></div>`,
		x.Name, x.Look, lookSign(x.Look), x.Verdict, x.Sentence)
	p.states(x.States)
	p.put(`
<dl class="facts">`)
	p.facts(x.Facts)
	p.put(`</dl>
<nav aria-label="Parts of the report"><ul>
<li><a href="#findings">Findings <span class="n">{}</span></a></li>
<li><a href="#day">Next 24 hours</a></li>
<li><a href="#roles">Roles <span class="n">{}</span></a></li>
<li><a href="#coverage">Coverage <span class="n">{}</span></a></li>`, len(x.Findings), len(x.Roles), len(x.Parts))
	if len(x.Notes) > 0 {
		p.put(`
<li><a href="#notes">Notes <span class="n">{}</span></a></li>`, len(x.Notes))
	}
	p.put(`
</ul></nav>
</div>
</header>
`)
}

func lookSign(look string) string {
	switch look {
	case "good":
		return "✓"
	case "bad":
		return "✕"
	}
	return "!"
}

func (p *htmlWriter) states(states []htmlState) {
	if len(states) == 0 {
		return
	}
	p.put(`
<svg class="share" aria-hidden="true" width="100%" height="10">`)
	for _, s := range states {
		p.put(`<rect class="{}" x="{}" y="0" width="{}" height="10"/>`, s.Chip.Look, s.X, s.Wide)
	}
	p.put(`</svg>
<ul class="states" aria-label="Roles by state">`)
	for _, s := range states {
		p.put(`<li><b>{}</b> `, s.N)
		p.chip(s.Chip)
		p.put(`</li>`)
	}
	p.put(`</ul>`)
}

func (p *htmlWriter) facts(facts []htmlFact) {
	for _, f := range facts {
		p.put(`<div><dt>{}</dt><dd>{}</dd></div>`, f.Name, f.Text)
	}
}

func (p *htmlWriter) filter(x htmlPage) {
	p.put(`<div id="filter" class="filter" role="search" aria-label="Filter the report" hidden>
<div class="wide">
<div class="ask"><label for="text">Filter <kbd>/</kbd></label><input id="text" type="search" autocomplete="off" spellcheck="false" placeholder="role, object, command, reason"></div>
`)
	p.choices("kind", "State", x.Kinds)
	p.choices("source", "Source", x.Sources)
	p.choices("owner", "Owner", x.Owners)
	p.put(`<button type="button" id="clear">Clear</button>
<p id="count" role="status" aria-live="polite"></p>
</div>
</div>
`)
}

func (p *htmlWriter) choices(id, label string, choices []htmlChoice) {
	p.put(`<div class="ask"><label for="{}">{}</label><select id="{}"><option value="">any</option>`, id, label, id)
	for _, c := range choices {
		p.put(`<option value="{}">{}</option>`, c.Number, c.Text)
	}
	p.put(`</select></div>
`)
}

// chip is a word that looks like what it says.
func (p *htmlWriter) chip(c htmlChip) {
	p.put(`<span class="chip {}"><span class="sign" aria-hidden="true">{}</span> {}</span>`, c.Look, c.Sign, c.Text)
}

// dim writes what is beside something, if it is anything.
func (p *htmlWriter) dim(text string) {
	if text != "" {
		p.put(`<span class="dim">{}</span>`, text)
	}
}
