package render

func (p *htmlWriter) gaps(gaps []htmlPart) {
	if len(gaps) == 0 {
		return
	}
	p.put(`
<section class="gaps" aria-labelledby="gaps">
<h2 id="gaps">Could not be read</h2>
<p>What a role needs may be there, or may not: nothing below speaks for these parts.</p>
<ul>`)
	for _, g := range gaps {
		p.put(`<li>`)
		p.chip(g.Chip)
		p.put(` <code>{}</code> <code>{}</code>`, g.Source, g.Part)
		if g.Why != "" {
			p.put(`: {}`, g.Why)
		}
		p.put(`</li>`)
	}
	p.put(`</ul>
</section>`)
}

func (p *htmlWriter) edits(base string, edits []htmlEdit) {
	p.put(`
<section aria-labelledby="changes">
<h2 id="changes">What the change since {} does to the ledger</h2>`, base)
	for _, e := range edits {
		p.put(`
<div class="card none edit" data-o="{}"><div class="line"><span class="chip none">{}</span><h3>{}</h3></div>`, e.Owner, e.What, e.Title)
		p.fields(e.Fields)
		p.put(`
</div>`)
	}
	if len(edits) == 0 {
		p.put(`
<p class="none">Nothing.</p>`)
	}
	p.put(`
</section>`)
}

func (p *htmlWriter) findings(findings []htmlFinding) {
	p.put(`
<section aria-labelledby="findings">
<h2 id="findings">Findings</h2>`)
	for _, f := range findings {
		p.finding(f)
	}
	if len(findings) == 0 {
		p.put(`
<p class="none">Nothing was found.</p>`)
	}
	p.put(`
<p class="nothing" hidden>No finding fits the filter.</p>
</section>`)
}

func (p *htmlWriter) finding(f htmlFinding) {
	p.put(`
<article class="card {}" id="{}" data-k="{}" data-s="{}" data-o="{}">
<div class="line">`, f.Chip.Look, f.Anchor, f.Kind, f.Source, f.Owner)
	p.line(f)
	p.put(`</div>
<p>{}</p>`, f.Message)
	p.fields(f.Fields)
	if len(f.Facts) > 0 {
		p.put(`
<dl class="more">`)
		p.facts(f.Facts)
		p.put(`</dl>`)
	}
	if f.Next != "" {
		p.put(`
<p class="next"><b>Next:</b> {}</p>`, f.Next)
	}
	p.put(`
<dl class="places">`)
	p.facts(f.Places)
	p.put(`<div><dt>Id</dt><dd><a href="#{}"><code>{}</code></a> <button type="button" class="copy quiet" hidden>Copy<span class="off"> the id {}</span></button></dd></div></dl>
</article>`, f.Anchor, f.ID, f.ID)
}

// line is the first one of a finding.
func (p *htmlWriter) line(f htmlFinding) {
	p.chip(f.Chip)
	if f.Waived {
		p.put(`<span class="chip none">waived</span>`)
	}
	if f.Lets {
		p.put(`<span class="chip none">does not fail this audit</span>`)
	}
	if f.Doubt {
		p.put(`<span class="chip none">not confirmed</span>`)
	}
	if f.Role != "" {
		p.put(`
<h3><a href="#{}">{}</a></h3>`, f.Role, f.About)
	} else {
		p.put(`
<h3>{}</h3>`, f.About)
	}
	p.dim(f.Reason)
	if f.OwnerText != "" {
		p.put(`<span class="owner"><span class="dim">owner</span> {}</span>`, f.OwnerText)
	}
}

func (p *htmlWriter) fields(fields []htmlField) {
	for _, f := range fields {
		p.put("\n")
		p.field(f)
	}
}

func (p *htmlWriter) field(f htmlField) {
	p.put(`<div class="field">
<div class="path"><code>{}</code>`, f.Path)
	if f.Object != "" {
		p.put(` <span class="dim">in <code>{}</code></span>`, f.Object)
	}
	if f.Masked {
		p.put(` <span class="dim">what is masked differs</span>`)
	}
	p.put(`</div>
<div class="pair">`)
	p.side(f.Left, f.Desired)
	p.put("\n")
	p.side(f.Right, f.Observed)
	p.put(`</div>
</div>`)
}

func (p *htmlWriter) side(label string, pieces []htmlPiece) {
	p.put(`<div class="side"><span class="label">{}</span><code>`, label)
	for _, x := range pieces {
		if x.Differs {
			p.put(`<mark>{}</mark>`, x.Text)
		} else {
			p.put(`{}`, x.Text)
		}
	}
	if len(pieces) == 0 {
		p.put(`<i>(empty)</i>`)
	}
	p.put(`</code></div>`)
}

func (p *htmlWriter) coverage(parts []htmlPart) {
	p.put(`
<section aria-labelledby="coverage">
<h2 id="coverage">Coverage</h2>`)
	if len(parts) == 0 {
		p.put(`
<p class="none">Nothing was looked at.</p>
</section>`)
		return
	}
	p.put(`
<div class="scroll" role="region" aria-label="What was looked at" tabindex="0">
<table>
<thead><tr><th scope="col">Source</th><th scope="col">Provider</th><th scope="col">Part</th><th scope="col">State</th><th scope="col" class="num">Objects</th><th scope="col">Why</th></tr></thead>
<tbody>`)
	for _, x := range parts {
		p.put(`
<tr data-s="{}"><th scope="row">{}</th><td>{}</td><td><code>{}</code></td><td>`, x.Number, x.Source, x.Provider, x.Part)
		p.chip(x.Chip)
		p.put(`</td><td class="num">{}</td><td class="why">{}</td></tr>`, x.Objects, x.Why)
	}
	p.put(`
</tbody>
</table>
</div>
</section>`)
}

func (p *htmlWriter) notes(notes []htmlNote) {
	if len(notes) == 0 {
		return
	}
	p.put(`
<section aria-labelledby="notes">
<h2 id="notes">Notes</h2>
<ul class="notes">`)
	for _, x := range notes {
		p.put(`
<li data-s="{}"><code>{}</code> {}`, x.Number, x.Code, x.Text)
		for _, s := range []string{x.Source, x.Place} {
			if s != "" {
				p.put(" ")
				p.dim(s)
			}
		}
		p.put(`</li>`)
	}
	p.put(`
</ul>
</section>`)
}
