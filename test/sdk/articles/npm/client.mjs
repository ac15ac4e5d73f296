// Drives the operations of the npm client against a running server.
import assert from 'node:assert/strict';
import Qiita from 'qiita-js';

const {Resources} = Qiita;
Qiita.setEndpoint(process.env.STOA_URL);
Qiita.setToken(process.env.STOA_TOKEN);

// The client reads every answer as JSON and so takes an empty one, which a 204
// must be, for a mistake. What matters is that the server did as it was told.
const quiet = call => call.catch(e => assert.match(String(e), /JSON/));
const {Item, Comment, Tag, User, AuthenticatedUser} = Resources;

const me = await AuthenticatedUser.get_authenticated_user();
assert.equal(me.id, process.env.STOA_USER);
assert.ok('twitter_screen_name' in me && 'github_login_name' in me);

const made = await Item.create_item({title: 'From npm', body: '# Hello\n\n検索できる本文', tags: [{name: 'npm', versions: ['11']}]});
assert.match(made.id, /^[0-9a-f]{20}$/);
assert.match(made.rendered_body, /<h1 id="h-hello">Hello<\/h1>/);
const item = await Item.get_item(made.id);
assert.deepEqual(item.tags, [{name: 'npm', versions: ['11']}]);
const changed = await Item.update_item(made.id, {title: 'From npm, again', body: 'b', tags: [{name: 'npm'}]});
assert.equal(changed.title, 'From npm, again');
assert.ok((await Item.list_items({page: 1, per_page: 5})).some(i => i.id === made.id));
assert.ok((await Item.list_items({query: 'title:again'})).some(i => i.id === made.id));
assert.ok((await Item.list_authenticated_user_items()).some(i => i.id === made.id));
assert.ok((await Item.list_user_items(me.id)).some(i => i.id === made.id));
assert.ok((await Item.list_tag_items('npm')).some(i => i.id === made.id));

await quiet(Item.like_item(made.id));
await quiet(Item.stock_item(made.id));
const liked = await Item.get_item(made.id);
assert.equal(liked.likes_count, 1);
assert.equal(liked.stocks_count, 1);
assert.ok((await Item.list_user_stocks(me.id)).some(i => i.id === made.id));
assert.equal((await User.list_item_stockers(made.id))[0].id, me.id);
await quiet(Item.unlike_item(made.id));
assert.equal((await Item.get_item(made.id)).likes_count, 0);

const comment = await Comment.create_item_comment(made.id, {body: 'Well *said*'});
assert.match(comment.rendered_body, /<em>said<\/em>/);
assert.equal((await Comment.list_item_comments(made.id)).length, 1);
assert.equal((await Comment.update_comment(comment.id, {body: 'x'})).body, 'x');
assert.equal((await Comment.get_comment(comment.id)).body, 'x');
await quiet(Comment.delete_comment(comment.id));
assert.equal((await Comment.list_item_comments(made.id)).length, 0);

assert.equal((await Tag.get_tag('npm')).id, 'npm');
assert.ok((await Tag.list_tags()).length > 1);
await quiet(Tag.follow_tag('npm'));
assert.equal((await Tag.list_user_following_tags(me.id))[0].id, 'npm');

assert.ok((await User.list_users()).length >= 2);
assert.equal((await User.get_user(process.env.STOA_GUEST)).id, process.env.STOA_GUEST);
await quiet(User.follow_user(process.env.STOA_GUEST));
assert.equal((await User.list_user_followees(me.id))[0].id, process.env.STOA_GUEST);
assert.equal((await User.list_user_followers(process.env.STOA_GUEST))[0].id, me.id);

await quiet(Item.delete_item(made.id));
assert.equal((await Item.get_item(made.id)).type, 'not_found');
Qiita.setToken('junk');
assert.equal((await AuthenticatedUser.get_authenticated_user()).type, 'unauthorized');
