package render

func (p *htmlWriter) days(days []htmlDay, axis []htmlHour) {
	p.put(`
<section aria-labelledby="day">
<h2 id="day">Next 24 hours</h2>
<p class="dim">What the ledger wants, by source; all times are UTC. A bar counts the starts of a quarter of an hour, its dark part those in one and the same minute.</p>`)
	for _, d := range days {
		p.day(d, axis)
	}
	if len(days) == 0 {
		p.put(`
<p class="none">No role of a source that was looked at.</p>`)
	}
	p.put(`
</section>`)
}

func (p *htmlWriter) day(d htmlDay, axis []htmlHour) {
	p.put(`
<section class="daybox" aria-label="Next 24 hours of {}" data-s="{}">
<h3>{} <span class="dim">{}</span></h3>`, d.Source, d.Number, d.Source, d.Sentence)
	if d.Hidden != "" {
		p.put(`
<p class="dim">{}.</p>`, d.Hidden)
	}
	if len(d.Bars) > 0 {
		p.chart(d, axis)
		p.piles(d.Piles)
	}
	p.put(`
</section>`)
}

func (p *htmlWriter) chart(d htmlDay, axis []htmlHour) {
	p.put(`
<div class="chart">
<svg class="grid" aria-hidden="true" width="100%" height="100%">`)
	for _, h := range axis {
		if h.Midnight {
			p.put(`<line class="midnight" x1="{}" x2="{}" y1="0" y2="100%"/>`, h.X, h.X)
		} else {
			p.put(`<line x1="{}" x2="{}" y1="0" y2="100%"/>`, h.X, h.X)
		}
	}
	p.put(`</svg>
<div class="row"><span></span><svg class="bars" role="img" aria-label="{}" viewBox="0 0 1455 100" preserveAspectRatio="none">`, d.Sentence)
	for _, b := range d.Bars {
		p.bar(b)
	}
	p.put(`</svg></div>
<div class="row axis"><span></span><svg aria-hidden="true" width="100%" height="18">`)
	p.axis(axis)
	p.put(`</svg></div>`)
	p.lanes(d)
	p.put(`
</div>`)
}

func (p *htmlWriter) axis(axis []htmlHour) {
	for _, h := range axis {
		switch {
		case h.Text == "":
		case h.Midnight:
			p.put(`<text class="midnight" x="{}" y="13">{}</text>`, h.X, h.Text)
		default:
			p.put(`<text x="{}" y="13">{}</text>`, h.X, h.Text)
		}
	}
}

func (p *htmlWriter) bar(b htmlBar) {
	p.put(`<g><title>{}</title><rect class="tall" x="{}" y="{}" width="13" height="{}"/>`, b.Text, b.X, 100-b.Tall, b.Tall)
	if b.Peak > 0 {
		p.put(`<rect class="peak" x="{}" y="{}" width="13" height="{}"/>`, b.X, 100-b.Peak, b.Peak)
	}
	p.put(`</g>`)
}

func (p *htmlWriter) lanes(d htmlDay) {
	if d.Folded {
		p.put(`
<details><summary>{} roles, each with its starts</summary>`, len(d.Lanes))
	}
	p.put(`
<ul class="lanes">`)
	for _, l := range d.Lanes {
		p.lane(l)
	}
	p.put(`
</ul>`)
	if d.Folded {
		p.put(`
</details>`)
	}
}

func (p *htmlWriter) lane(l htmlLane) {
	p.put(`
<li class="row" data-k="{}" data-s="{}" data-o="{}"><a href="#{}">{}</a><svg role="img" aria-label="{}" viewBox="0 0 1455 10" preserveAspectRatio="none"><title>{}</title>`,
		l.Kind, l.Source, l.Owner, l.Anchor, l.Name, l.Text, l.Text)
	for _, s := range l.Strokes {
		if s.Dashes != "" {
			p.put(`<path d="{}" stroke-dasharray="{}"/>`, s.Path, s.Dashes)
		} else {
			p.put(`<path d="{}"/>`, s.Path)
		}
	}
	p.put(`</svg></li>`)
}

func (p *htmlWriter) piles(piles []htmlPile) {
	if len(piles) == 0 {
		return
	}
	p.put(`
<h4>Most at once</h4>
<ol class="piles">`)
	for _, x := range piles {
		p.put(`<li><b>{} roles</b> at <span class="times">{}</span>: {}</li>`, x.N, x.Times, x.Names)
	}
	p.put(`</ol>`)
}
