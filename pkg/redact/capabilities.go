package redact

import "strings"

// capabilities are the URLs that let in whoever knows them: a part of the path
// is the secret. The hosts are those of the services that jobs report to, by
// their manuals. The cues are in small letters.
var capabilities = []phrase{
	// Chat: the whole rest of the path, since how it is cut up has changed.
	newPhrase(`(?i)\bdiscord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/`+pathRest, "webhooks/"),
	newPhrase(`(?i)\bhooks\.slack(?:-gov)?\.com/\w+/(?:T\w*/)?`+pathRest, "slack"),
	newPhrase(`(?i)\boffice(?:365)?\.com/webhook(?:b2)?/`+pathRest, "office"),
	newPhrase(`(?i)\bapi\.telegram\.org/(?:file/)?bot(?:\d+:)?`+segment, "telegram"),
	newPhrase(`(?i)\bhooks\.zapier\.com/hooks/catch/(?:\d+/)?`+pathRest, "zapier"),
	newPhrase(`(?i)\bmaker\.ifttt\.com/[^\s"']*/key/`+segment, "ifttt"),
	// Services that miss a ping which does not come.
	newPhrase(`(?i)\bhc-ping\.com/`+segment, "hc-ping"),
	newPhrase(`(?i)\bhealthchecks\.io/(?:ping|checks)/`+segment, "healthchecks"),
	newPhrase(`(?i)\bcronitor\.(?:link/(?:(?:p|ping)/)?|io/(?:p|ping)/)`+segment, "cronitor"),
	newPhrase(`(?i)\b(?:betterstack|betteruptime)\.com/api/v\d+/heartbeat/`+segment, "heartbeat"),
	newPhrase(`(?i)\bnosnch\.in/`+segment, "nosnch"),
	// The same programs on hosts of one's own.
	newPhrase(`(?i)/(?:ping|(?:web)?hooks?|heartbeats?|api/push)/(?:[\w.-]+/){0,3}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b`, "ping", "hook", "heartbeat", "/push"),
	newPhrase(`(?i)://[^\s/"']*(?:ping|hook|heartbeat|healthcheck)[^\s/"']*/(?:[\w.-]+/){0,3}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b`, "ping", "hook", "heartbeat", "healthcheck"),
	newPhrase(`(?i)/hooks/([a-z0-9]{20,})\b`, "/hooks/"),
	newPhrase(`/api/push/([A-Za-z0-9]{8,})\b`, "/api/push/"),
}

const (
	segment  = "([^\\s\"'`/?#]+)"
	pathRest = "([^\\s\"'`?#]+)"
)

func inCapabilities(s string, asked finders, found *spans) {
	if strings.IndexByte(s, '/') < 0 {
		return
	}
	for i := range capabilities {
		if asked.has(firstCapability() + i) {
			capabilities[i].find(s, strings.ToLower(s), found)
		}
	}
}
