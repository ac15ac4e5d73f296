// Package calendar keeps calendars and notifies channels when they change
// (service H).
//
// The contract is about notification channels: a client names an HTTPS address
// and a collection, and the service posts a message without a body to the
// address whenever the collection changes. So that there is something to watch
// and a client can read the change, the package serves the calendar API around
// it: calendars, calendar lists, access rules, events with recurrence,
// settings, free/busy and colors.
//
// Base path /calendar/v3; routes.go is the operation table. Callers present an
// OAuth 2.0 bearer token with one of the scopes listed there, each written
// <scope base>/auth/NAME. Failures answer
// {"error":{code,message,status,errors[{domain,reason,message,location,locationType}]}};
// errors.go lists the reasons.
//
// # Channels
//
// A watch checks the request and the receiver's certificate, then writes the
// channel and its sync message, number 1, in one transaction. A change of a
// collection gives each of its channels the next number and enqueues a message
// with the state exists, in the transaction of the change itself: a change that
// is acknowledged is announced, whatever happens to the process. platform/deliver
// sends the messages of one channel one after the other, at least once. Expiry
// is judged on the world's clock and is the deadline of every message; a stop
// gives up what was not sent.
//
// # Changes and synchronization
//
// Every change of a calendar's events, of its rules, of a user's list and of
// a user's settings takes the next number of that collection while its row is
// locked. "What changed since" is therefore a range of numbers, a sync token
// is a sealed number, and nothing committed between two pages is lost.
//
// An event, a series and an instance that differs from its series are rows.
// Other instances are computed by package recurrence when they are asked for.
//
// # Where the contract is silent we decided
//
//   - H-N1: a watch needs one of the scopes that open the list of the same
//     collection (routes.go); channels.stop needs any of those.
//   - H-N2: a channel lives 7 days at most (channel_lifetime), and as long when
//     it asks for nothing. params.ttl in seconds is honoured beside expiration;
//     the earliest end wins.
//   - H-N3: members are only ever added to answers, statuses and reasons stay;
//     what replaces v3 will have another path.
//   - H-N4: a missing member is 400 required, a wrong one 400 with the reasons
//     of errors.go (channelIdNotUnique, pushInvalidTtl,
//     push.channelTypeNotSupported, push.webhookUrlNotHttps,
//     push.webhookUrlNoHostOrAddress, push.webhookUrlUnauthorized for an address
//     that the operator does not allow, push.webhookCertificateInvalid); a
//     calendar the caller cannot see is 404 notFound. stop answers 204 without
//     a body, and 404 notFound when there is no such live channel or the caller
//     may not stop it. A receiver that cannot be reached at the time of the
//     watch is not a reason to refuse: its certificate is verified by every
//     delivery. An id that was used stays used until 30 days after its channel
//     ended (sync_lifetime).
//   - H-N5: not_exists is sent once, as the last message, when the watched
//     calendar itself is deleted. Deleting an event or a rule is exists. A user who
//     loses access to a calendar by a change of its rules gets no further
//     message; who leaves a team that a rule names, after the next such change.
//   - H-N6: every receiver is treated alike, by its status: 500, 502, 503, 504
//     and failed connections are tried ten times in about 24 hours (see
//     platform/deliver), at most until the channel expires.
//   - H-N7: with channel_lifetime 0 the operator lets channels live for ever;
//     expiration and its header are then absent unless the client asked for an
//     end. Otherwise every channel expires and both are always there.
//   - H-N8: both stop rules come to the same: any user with a token of the
//     client that made the channel. Tokens made by hand belong to no client;
//     a channel made with one is stopped by the same user with such a token,
//     and ends once that token is revoked.
//   - H-N9: the watch paths are those of the lists: calendars/{id}/acl,
//     users/me/calendarList and users/me/settings. All but settings change
//     through the API; settings change with "stoa calendar set".
//   - A user's address is their mail address, or NAME@localhost without one;
//     it is the id of the primary calendar, which exists from the first request
//     on. A group scope NAME@anything is the team of that name. An access rule
//     that is sent with the scope or the id of another one is refused.
//   - A guest with an account here has a copy of the event, under the same id, on
//     the primary calendar (package invitation), with its own notifications. The
//     answer is written to the organizer's event at once; the others' copies follow
//     by a job. A guest changes what is the guest's own (403
//     forbiddenForNonOrganizer, also where guestsCanModify is set); who names
//     only themselves in attendees answers; deleting the copy declines. A
//     calendar with 25,000 events takes no further invitation, one with 100 invited
//     series that have not ended, or 50 of one user, no further series, and none one
//     with more than 62 instances in 31 days or 800 steps a year to expand, as an
//     hourly one has: what others sent leaves most steps to the user's own. No mail is
//     sent, and groups are not invited, nor does an import invite, or a later change of
//     one whose organizer is another: its guests are the organizer's to invite.
//   - A change to the same changes nothing: no notification, no new etag.
//   - A request for a conference fails unless the operator names a system of meetings
//     (conference_url). conferenceDataVersion is not needed.
//   - Without timeMax an endless series is expanded for 2 years (expand_years).
//     orderBy=updated and no order are the order of changes; singleEvents is
//     always by start.
//   - Frequencies below HOURLY, more than 24 instances a day, more than 10,000
//     instances by COUNT, an INTERVAL above 10,000, more than 5 rules or one
//     EXRULE, rules that never happen and starts before 1900 are refused. A series
//     is expanded for 100 years from its start, one with several instances a day
//     for as many times fewer, 5 at least.
//   - One request spends 200,000 steps on expanding all its series (package
//     recurrence), then it is refused: 403 quotaExceeded. A calendar of several in one
//     freeBusy may take a quarter of what is left, or an equal part, and has the error
//     quotaExceeded alone. One freeBusy looks up 50 groups, others have the error
//     tooManyCalendarsRequested. A user expands one list at a time (singleEvents, instances,
//     freeBusy); others wait, 10 seconds at most, then 429.
//   - 50,000 events of a calendar, 10,000 channels of a user and 1,000 rules of a
//     calendar are the most: 403 quotaExceeded, push.tooManyChannels.
//   - An event has 128 KiB at most, as it is stored: 400 invalid. A page of events ends after 8 MiB of them, also
//     before it has maxResults; nextPageToken says whether more follow.
//   - A user with 40,000 undelivered notifications, or 20,000 for one host, gets no
//     further ones: they are recorded as failed (stoa deliveries list). The
//     request that changed the calendar succeeds all the same.
//   - events.insert takes id and iCalUID from the client, each once; organizer and
//     sequence are taken from an import only. events.move to a calendar that has either
//     is 409 duplicate, too, and so is a change that brings a deleted event back beside
//     another with its iCalUID.
//   - Clients send whole objects back, so what only the service says is read-only: it
//     may be sent, with any value, and is ignored. Of an event these are kind, etag,
//     htmlLink, created, updated, creator, organizer, sequence, recurringEventId,
//     originalStartTime, locked, privateCopy, hangoutLink, self and organizer of
//     attendees, the timeZone of a date, on an update also id and iCalUID (the path
//     names the event), on an import id; of a calendar kind, etag,
//     id, dataOwner and conferenceProperties; of an entry of a list those, summary,
//     description, location, timeZone, accessRole, primary, deleted and
//     autoAcceptInvitations, and without colorRgbFormat=true both colors; of a channel
//     kind, resourceId, resourceUri, payload (a message never has a body) and params
//     other than ttl. Members that the contract's API does not have are ignored too.
//   - attendeesOmitted in a change says that it is about the attendees that it names:
//     the others stay.
//   - autoAcceptInvitations of a calendar and anyoneCanAddSelf of an event are kept and
//     shown and change nothing: no calendar here is of a resource, and no event takes who
//     was not invited.
//   - conferenceData, gadget, the properties of a type of events and labelProperties are kept
//     as they were written, 32 KiB each at most; a member that has not the contract's type is
//     400 invalid, because no client could read the list that it is on.
//   - A change is judged by the role, the zone and the data owner that the calendar has when it
//     is written, not by those of when it was asked for.
//   - What a rule gave to a user or a team ends when that one is removed: another of the
//     same address gets nothing of it.
//   - No user finds an event by words or properties that it does not show them, and
//     only members learn who is in a team that free/busy names.
//   - A sync token ends after 30 days (sync_lifetime), when the caller's role
//     changes, when something was purged that it would have to report, and, for
//     single instances, when a series lost some or an event became one: 410
//     fullSyncRequired. A sync that began with timeMin or timeMax is told of every
//     changed event, also of those that left the window.
package calendar
