"""gcsa keeps a calendar through the vendor's client."""

import functools
import os
from datetime import datetime, timezone

from google.oauth2.credentials import Credentials
from gcsa.attendee import Attendee
from gcsa.event import Event
from gcsa.google_calendar import GoogleCalendar
from gcsa.recurrence import DAILY, Recurrence
from googleapiclient import discovery

endpoint = {"api_endpoint": os.environ["STOA_URL"] + "/calendar/v3/"}
discovery.build = functools.partial(discovery.build, client_options=endpoint)


def keeper(token):
    return GoogleCalendar("primary", credentials=Credentials(token))


own = keeper(os.environ["STOA_TOKEN"])
guest = keeper(os.environ["STOA_GUEST_TOKEN"])
invited = guest.get_calendar().id


def at(day, hour):
    return datetime(2031, 5, day, hour, tzinfo=timezone.utc)


made = own.add_event(Event("Review", start=at(5, 9), end=at(5, 10), attendees=[Attendee(invited)]))
assert made.event_id and own.get_event(made.event_id).summary == "Review"
made.location = "hall"
assert own.update_event(made).location == "hall"
series = own.add_event(Event("Daily", start=at(6, 9), end=at(6, 10), recurrence=[Recurrence.rule(freq=DAILY, count=3)]))
assert len(list(own.get_instances(series, at(1, 0), at(30, 0)))) == 3
def listed():
    events = own.get_events(at(5, 0), at(9, 0), single_events=True, order_by="startTime")
    return [e.summary for e in events if e.summary in ("Review", "Daily")]


assert listed() == ["Review", "Daily", "Daily", "Daily"], listed()
own.delete_event(series)
assert listed() == ["Review"], listed()
assert own.get_settings().timezone and own.list_event_colors()
assert any(c.primary for c in own.get_calendar_list())
