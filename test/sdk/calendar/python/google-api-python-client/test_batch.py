"""The vendor's own client is made from the server's description, and sends many requests in one."""

import os

from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

base, token = os.environ["STOA_URL"], os.environ["STOA_TOKEN"]
where = base + "/discovery/v1/apis/{api}/{apiVersion}/rest"


def service(name, version, bearer):
    return build(name, version, credentials=Credentials(bearer), discoveryServiceUrl=where, static_discovery=False,
                 cache_discovery=False)


calendar = service("calendar", "v3", token)
guest = service("calendar", "v3", os.environ["STOA_GUEST_TOKEN"])
invited = guest.calendars().get(calendarId="primary").execute()["id"]


def event(n, **more):
    at = {"timeZone": "UTC"}
    return {"summary": f"batch {n}", "start": {"dateTime": f"2030-01-0{n}T10:00:00Z", **at},
            "end": {"dateTime": f"2030-01-0{n}T11:00:00Z", **at}, **more}


made, failed = {}, {}


def note(name, answer, error):
    (failed if error else made)[name] = error or answer


batch = calendar.new_batch_http_request(callback=note)
for n in range(1, 6):
    batch.add(calendar.events().insert(calendarId="primary", body=event(n), sendUpdates="none"), request_id=str(n))
batch.add(calendar.events().get(calendarId="primary", eventId="nowhere00"), request_id="missing")
batch.add(calendar.events().list(calendarId="primary", singleEvents=True, timeMin="2030-01-01T00:00:00Z", maxResults=50,
                                 orderBy="startTime"), request_id="list")
batch.execute()
assert list(failed) == ["missing"] and failed["missing"].resp.status == 404, failed
listed = [e["summary"] for e in made["list"]["items"] if e["summary"].startswith("batch")]
assert listed == [f"batch {n}" for n in range(1, 6)], listed

own = made["1"]
changed = calendar.events().patch(calendarId="primary", eventId=own["id"],
                                  body={"attendees": [{"email": invited}]}, conferenceDataVersion=1).execute()
assert changed["etag"] != own["etag"]
same = calendar.events().patch(calendarId="primary", eventId=own["id"], body={"summary": own["summary"]}).execute()
assert same["etag"] == changed["etag"]
request, pages = calendar.events().list(calendarId="primary", maxResults=2, showDeleted=False), 0
while request is not None:
    answer = request.execute()
    request, pages = calendar.events().list_next(request, answer), pages + 1
assert pages > 2, pages
try:
    calendar.events().move(calendarId="primary", eventId=own["id"], destination="nowhere").execute()
except HttpError as e:
    assert e.resp.status == 404, e
else:
    raise AssertionError("it was moved")
try:
    calendar.events().quickAdd(calendarId="primary")
except TypeError:
    pass
else:
    raise AssertionError("text is required")

tasks = service("tasks", "v1", token)
batch, titles = tasks.new_batch_http_request(), []
for n in range(3):
    batch.add(tasks.tasks().insert(tasklist="@default", body={"title": f"t{n}"}),
              callback=lambda _, answer, error: titles.append(answer["title"]))
batch.execute()
assert titles == ["t0", "t1", "t2"], titles
assert tasks.tasklists().list(maxResults=1).execute()["items"]
assert calendar.calendarList().list().execute()["items"][0]["id"]
