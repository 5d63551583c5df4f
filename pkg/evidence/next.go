package evidence

// nextStep is what to look at first; empty leaves it to the catalogue.
func nextStep(stage int, reason, provider string) string {
	switch reason {
	case NoSeries:
		return "look at the query and its labels, at the exporter or the job that should write the metric, and whether Prometheus scrapes it"
	case StaleSeries:
		return "look at what exported or pushed the metric: it is gone, or no longer scraped; then whether the job itself still runs"
	}
	switch stage {
	case executed:
		return executedSteps[provider]
	case succeeded:
		return succeededSteps[provider]
	}
	return ""
}

var executedSteps = map[string]string{
	"crontab":    "look whether the cron daemon is running, and whether its log names the line at a due instant; if it does, whether the command still goes through rolecall run and whether that can write its records (rolecall runs list)",
	"kubernetes": "look at the events of the CronJob (kubectl describe cronjob): a startingDeadlineSeconds below 10 misses every start, Forbid with an active Job skips them, and after more than 100 missed ones without a deadline old controllers give up; then whether the controller manager runs and quotas admit the Job",
	"github":     "look at the workflow's runs with the event schedule: GitHub delays and drops runs at the full hour, so move the minute; a schedule stops too when the one who last changed its cron has left the organisation; a commit to the cron line by a member takes it over",
}

var succeededSteps = map[string]string{
	"crontab":    "look at the log of the last run (rolecall runs show), at how it ended, and at its timeout",
	"kubernetes": "look at the CronJob's last Jobs and the log of their pods (kubectl describe job, kubectl logs): how they ended, backoffLimit, activeDeadlineSeconds, whether the image is pulled and the pod is scheduled",
	"github":     "look at the log of the workflow's last scheduled run (gh run list --event schedule, gh run view --log-failed), and at a failure to start: a refused workflow file, a runner that never came, an environment that waits for approval",
}

// goneStep is for runs that nothing watches over.
const goneStep = "look what ended the one that watched over it: a reboot, the kernel for want of memory, a kill; then close the run as the hint says, and the role's on_interrupted decides what the next one does"

var hungSteps = map[string]string{
	"crontab":    "look at what the run waits for (rolecall runs show), then end it with rolecall drain or by its process group; run: {max_runtime: …} ends the next one",
	"kubernetes": "look at the log and the state of the Job's pod, then delete the Job; activeDeadlineSeconds in the job template ends the next one, and under Forbid nothing starts while it goes on",
	"github":     "look at the run's log, then cancel it (gh run cancel); timeout-minutes on the job ends the next one (the default is 360)",
}
