module github.com/rolecall-dev/rolecall

go 1.26
