package specs

func isLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// daysBefore counts the days from 1970-01-01 to a date, by the Gregorian
// calendar. The month may be 13.
func daysBefore(year, month, day int) int {
	y := year
	if month <= 2 {
		y--
		month += 12
	}
	return 365*y + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400) + (153*(month-3)+2)/5 + day - 1 - 719468
}

// dateOf is the date that many days after 1970-01-01.
func dateOf(days int) (year, month, day int) {
	days += 719468
	era := floorDiv(days, 146097)
	doe := days - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	year, month, day = yoe+era*400, mp+3, doy-(153*mp+2)/5+1
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// weekdayOf is the weekday, 0 for Sunday, that many days after 1970-01-01.
func weekdayOf(days int) int { return ((days+4)%7 + 7) % 7 }

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
