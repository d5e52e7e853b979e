#!/usr/bin/env python3
"""The oracle of schedule_test.cc: Python's zoneinfo, and a cron that looks at every minute.

For each zone, lines of words:
  zone NAME
  offset UNIX_SECONDS SECONDS_EAST     at the beginning of 1990, and at each change up to 2036
  window BEGIN END                     around a change
  due BEGIN LINE_OF_CRON: MOMENT ...   those of the window that begins there

    python3 zone_oracle.py [SEED]
"""
import random
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ZONES = [
    "Africa/Casablanca",  # summer time that stops for Ramadan
    "America/New_York",
    "America/Sao_Paulo",  # changes at midnight
    "America/St_Johns",  # changes a minute after midnight
    "Antarctica/Troll",  # two hours
    "Asia/Pyongyang",  # half an hour, once each way
    "Asia/Tehran",
    "Australia/Lord_Howe",  # half an hour each summer
    "Europe/Berlin",
    "Pacific/Apia",  # left out 2011-12-30
    "Pacific/Chatham",
    "Pacific/Kwajalein",  # left out 1993-08-21
]
LINES = [
    "0 0 * * *",
    "30 2 * * *",
    "*/15 1-3 * * *",
    "* 2 * * 0",
    "1 0 30,31 * *",
    "0,30 * * * *",
    "0 */2 * * *",
    "20 */3 * * sat",
]
RANDOM_LINES_A_ZONE = 4
BEGIN = datetime(1990, 1, 1, tzinfo=timezone.utc)
END = datetime(2036, 1, 1, tzinfo=timezone.utc)
HOUR = 3600
DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]


def offset(zone, moment):
    return int(datetime.fromtimestamp(moment, zone).utcoffset().total_seconds())


def changes(zone):
    """The first moment, then each at which the offset is another than before."""
    moment, end = int(BEGIN.timestamp()), int(END.timestamp())
    found = [moment]
    while moment < end:
        later = moment + 12 * HOUR
        if offset(zone, later) != offset(zone, moment):
            low, high = moment, later
            while high - low > 1:
                middle = (low + high) // 2
                if offset(zone, middle) == offset(zone, moment):
                    low = middle
                else:
                    high = middle
            found.append(high)
        moment = later
    return found


def values(field, low, high):
    found = set()
    for part in field.split(","):
        text, _, step = part.partition("/")
        if text == "*":
            first, last = low, high
        else:
            first, _, last = text.partition("-")
            first = DAYS.index(first) if first in DAYS else int(first)
            last = int(last) if last else first
        found.update(range(first, last + 1, int(step or 1)))
    return found


class Cron:
    def __init__(self, line):
        minute, hour, day, month, weekday = line.split()
        self.minutes, self.hours = values(minute, 0, 59), values(hour, 0, 23)
        self.days, self.months = values(day, 1, 31), values(month, 1, 12)
        self.weekdays = {value % 7 for value in values(weekday, 0, 7)}
        self.either = not day.startswith("*") and not weekday.startswith("*")
        self.elapsed = hour.startswith("*")

    def matches(self, local):
        if local.minute not in self.minutes or local.hour not in self.hours:
            return False
        day = local.day in self.days
        weekday = local.isoweekday() % 7 in self.weekdays
        return local.month in self.months and (day or weekday if self.either else day and weekday)


def due(clock, cron):
    """clock: each minute of a window as (moment, local time). The first one is never due."""
    found, reached = [], clock[0][1]
    for moment, local in clock[1:]:
        if cron.elapsed:
            if cron.matches(local):
                found.append(moment)
            continue
        is_due = False
        while reached < local:
            reached += timedelta(minutes=1)
            is_due = is_due or cron.matches(reached)
        if is_due:
            found.append(moment)
    return found


def random_line(chance):
    minute = chance.choice(["0", "59", "*/20", "7-50/9", str(chance.randrange(60))])
    hour = chance.choice(["*", "*/2", "*/5", "0", "0-4", "1,2,3", "22-23", str(chance.randrange(24))])
    return f"{minute} {hour} * * {chance.choice(['*', '*', '0-3', 'sat,sun'])}"


def main():
    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for name in ZONES:
        zone = ZoneInfo(name)
        print("zone", name)
        moments = changes(zone)
        for moment in moments:
            print("offset", moment, offset(zone, moment))
        lines = LINES + [random_line(chance) for _ in range(RANDOM_LINES_A_ZONE)]
        crons = [Cron(line) for line in lines]
        for moment in moments[1:]:
            moved = abs(offset(zone, moment) - offset(zone, moment - 1))
            begin = moment - 4 * HOUR
            end = moment + 4 * HOUR + moved
            clock = [
                (t, datetime.fromtimestamp(t, zone).replace(tzinfo=None, fold=0))
                for t in range(begin - 60, end, 60)
            ]
            print("window", begin, end)
            for line, cron in zip(lines, crons):
                print("due", begin, line + ":", *due(clock, cron))


main()
