package render

func (p *htmlWriter) roles(x htmlPage) {
	p.put(`
<section aria-labelledby="roles">
<h2 id="roles">Roles</h2>`)
	if len(x.Roles) > 0 {
		p.table(x.Roles, x.Stages)
	} else {
		p.put(`
<p class="none">The ledger has no role.</p>`)
	}
	p.put(`
<p class="nothing" hidden>No role fits the filter.</p>`)
	p.alike(x.Alike)
	p.put(`
</section>`)
}

func (p *htmlWriter) table(roles []htmlRole, stages []string) {
	p.put(`
<div class="scroll" role="region" aria-label="Roles by stage" tabindex="0">
<table>
<thead><tr><th scope="col">Role</th><th scope="col">Source</th><th scope="col">State</th>`)
	for _, s := range stages {
		p.put(`<th scope="col" class="stage">{}</th>`, s)
	}
	p.put(`<th scope="col">Owner</th><th scope="col">Version</th><th scope="col">Schedule</th><th scope="col">Next due</th><th scope="col">Place</th></tr></thead>
<tbody>`)
	for _, r := range roles {
		p.role(r)
	}
	p.put(`
</tbody>
</table>
</div>`)
}

func (p *htmlWriter) role(r htmlRole) {
	p.put(`
<tr id="{}" data-k="{}" data-s="{}" data-o="{}"><th scope="row"><b>{}</b>`, r.Anchor, r.Kind, r.Source, r.Owner, r.Name)
	p.dim(r.Purpose)
	p.put(`</th><td>{}</td><td>`, r.In)
	if r.Finding != "" {
		p.put(`<a class="bare" href="#{}">`, r.Finding)
		p.chip(r.State)
		p.put(`</a>`)
	} else {
		p.chip(r.State)
	}
	p.put(`</td>`)
	for _, s := range r.Stages {
		p.stage(s)
	}
	p.put(`<td>{}</td><td>{}</td><td class="when"><code>{}</code></td><td>`, r.OwnerText, r.Version, r.Schedule)
	if r.Due != "" {
		p.put(`<time>{}</time>`, r.Due)
	} else {
		p.put(`{}`, r.Suspended)
	}
	p.put(`</td><td>{}`, r.Place)
	if r.From != "" {
		p.put(`<span class="dim">runs: {}</span>`, r.From)
	}
	p.put(`</td></tr>`)
}

func (p *htmlWriter) stage(s htmlStage) {
	p.put(`<td class="stage">`)
	p.chip(s.Chip)
	p.dim(s.Age)
	if s.Day != "" {
		p.put(`<time class="dim">{}</time>`, s.Day)
	}
	p.put(`</td>`)
}

func (p *htmlWriter) alike(alike []htmlAlike) {
	if len(alike) == 0 {
		return
	}
	p.put(`
<details class="alike"><summary>Differences that do not count <span class="n">{}</span></summary>`, len(alike))
	for _, x := range alike {
		p.put(`
<div class="card none" data-k="{}" data-s="{}" data-o="{}"><div class="line"><h3>{}</h3><span class="dim">{}</span></div>
`, x.Kind, x.Source, x.Owner, x.About, x.Why)
		p.field(x.Field)
		p.put(`</div>`)
	}
	p.put(`
</details>`)
}
