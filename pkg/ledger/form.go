package ledger

import "github.com/rolecall-dev/rolecall/pkg/strict"

// fileForm is a ledger as it is written.
type fileForm struct {
	strict.Place
	Ledger   strict.Text           `strict:"ledger,required"`
	Name     strict.Text           `strict:"name"`
	Revision strict.Int            `strict:"revision"`
	Roles    strict.Each[roleForm] `strict:"roles"`
	Ignore   []sharedIgnoreForm    `strict:"ignore"`
	Waivers  []waiverForm          `strict:"waivers"`
}

type roleForm struct {
	strict.Place
	Owner         strict.Text  `strict:"owner"`
	Purpose       strict.Text  `strict:"purpose"`
	Source        strict.Text  `strict:"source"`
	Sources       strict.Texts `strict:"sources"`
	Version       strict.Text  `strict:"version"`
	Spec          specForm     `strict:"spec,required"`
	State         strict.Text  `strict:"state,enum=active|suspended"`
	PausedUntil   strict.Text  `strict:"paused_until"`
	Match         matchForm    `strict:"match"`
	PreviousRoles strict.Texts `strict:"previous_roles"`
	Ref           refForm      `strict:"ref"`
	Review        strict.Text  `strict:"review,enum=pending"`
	Ignore        []ignoreForm `strict:"ignore"`
	Evidence      evidenceForm `strict:"evidence"`
	Repair        repairForm   `strict:"repair"`
	Run           runForm      `strict:"run"`
}

type specForm struct {
	strict.Place
	Template strict.Text             `strict:"template"`
	Hash     strict.Text             `strict:"hash"`
	Schedule strict.Texts            `strict:"schedule"`
	TimeZone strict.Text             `strict:"time_zone"`
	User     strict.Text             `strict:"user"`
	Command  strict.Text             `strict:"command"`
	Stdin    strict.Text             `strict:"stdin,empty"`
	Env      strict.Map[strict.Text] `strict:"env,empty"`
	Workflow strict.Text             `strict:"workflow"`
	Policy   strict.Text             `strict:"concurrency_policy,enum=Allow|Forbid|Replace"`
	Deadline strict.Int              `strict:"starting_deadline_seconds"`
}

type matchForm struct {
	strict.Place
	User      strict.Text             `strict:"user"`
	Command   strict.Text             `strict:"command"`
	File      strict.Text             `strict:"file"`
	Schedule  strict.Text             `strict:"schedule"`
	Repo      strict.Text             `strict:"repo"`
	Workflow  strict.Text             `strict:"workflow"`
	Cron      strict.Text             `strict:"cron"`
	Namespace strict.Text             `strict:"namespace"`
	Name      strict.Text             `strict:"name"`
	Labels    strict.Map[strict.Text] `strict:"labels,empty"`
}

type refForm struct {
	strict.Place
	UID  strict.Text `strict:"uid"`
	Seen strict.Text `strict:"seen"`
}

type ignoreForm struct {
	strict.Place
	Field   strict.Text `strict:"field"`
	Pointer strict.Text `strict:"pointer"`
	Manager strict.Text `strict:"manager"`
	Reason  strict.Text `strict:"reason,required"`
}

type sharedIgnoreForm struct {
	strict.Place
	Source  strict.Text `strict:"source,required"`
	Field   strict.Text `strict:"field"`
	Pointer strict.Text `strict:"pointer"`
	Manager strict.Text `strict:"manager"`
	Reason  strict.Text `strict:"reason,required"`
}

type waiverForm struct {
	strict.Place
	Finding strict.Text `strict:"finding,required"`
	Reason  strict.Text `strict:"reason,required"`
	Owner   strict.Text `strict:"owner"`
	Until   strict.Text `strict:"until,required"`
}
