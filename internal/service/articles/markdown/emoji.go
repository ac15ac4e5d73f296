package markdown

import "strings"

// emojiTable are the names that are known, in the spelling that chats and code
// hosts share. Reactions and :name: in a text both use it.
const emojiTable = `
+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎|heart ❤️|tada 🎉|smile 😄|smiley 😃|grinning 😀|grin 😁|laughing 😆|joy 😂|rofl 🤣|
blush 😊|wink 😉|heart_eyes 😍|thinking 🤔|confused 😕|cry 😢|sob 😭|sweat 😓|sweat_smile 😅|scream 😱|rage 😡|angry 😠|
sunglasses 😎|sleeping 😴|neutral_face 😐|relaxed ☺️|upside_down_face 🙃|innocent 😇|eyes 👀|rocket 🚀|clap 👏|pray 🙏|
bow 🙇|fire 🔥|sparkles ✨|star ⭐|star2 🌟|100 💯|ok_hand 👌|muscle 💪|wave 👋|raised_hands 🙌|raised_hand ✋|
point_right 👉|point_left 👈|point_up ☝️|point_down 👇|handshake 🤝|ok 🆗|beer 🍺|beers 🍻|coffee ☕|tea 🍵|cake 🍰|
birthday 🎂|pizza 🍕|apple 🍎|sushi 🍣|ramen 🍜|rice 🍚|bread 🍞|dog 🐶|cat 🐱|mouse 🐭|rabbit 🐰|bear 🐻|panda_face 🐼|
penguin 🐧|bird 🐦|snake 🐍|whale 🐳|bug 🐛|ant 🐜|bee 🐝|octopus 🐙|crab 🦀|turtle 🐢|elephant 🐘|sunny ☀️|cloud ☁️|
umbrella ☔|snowflake ❄️|zap ⚡|rainbow 🌈|ocean 🌊|earth_asia 🌏|moon 🌙|cherry_blossom 🌸|rose 🌹|seedling 🌱|
evergreen_tree 🌲|computer 💻|iphone 📱|keyboard ⌨️|floppy_disk 💾|cd 💿|mag 🔍|key 🔑|lock 🔒|unlock 🔓|bulb 💡|wrench 🔧|
hammer 🔨|gear ⚙️|link 🔗|package 📦|pencil 📝|memo 📝|pencil2 ✏️|book 📖|books 📚|bookmark 🔖|calendar 📆|date 📅|
chart_with_upwards_trend 📈|bar_chart 📊|clipboard 📋|pushpin 📌|bell 🔔|mega 📣|email 📧|mailbox 📫|gift 🎁|trophy 🏆|
medal 🏅|crown 👑|moneybag 💰|hourglass ⌛|watch ⌚|alarm_clock ⏰|warning ⚠️|no_entry ⛔|x ❌|o ⭕|white_check_mark ✅|
heavy_check_mark ✔️|question ❓|exclamation ❗|information_source ℹ️|recycle ♻️|construction 🚧|red_circle 🔴|
large_blue_circle 🔵|arrow_right ➡️|arrow_left ⬅️|arrow_up ⬆️|arrow_down ⬇️|new 🆕|free 🆓|cool 🆒|soon 🔜|zzz 💤|
musical_note 🎵|art 🎨|camera 📷|video_game 🎮|soccer ⚽|house 🏠|office 🏢|car 🚗|train 🚆|airplane ✈️|ship 🚢|bike 🚲|
jp 🇯🇵|us 🇺🇸|gb 🇬🇧|de 🇩🇪|fr 🇫🇷`

// emojiByName are the characters by name.
func emojiByName() map[string]string {
	out := map[string]string{}
	for line := range strings.SplitSeq(strings.ReplaceAll(emojiTable, "\n", ""), "|") {
		if name, glyph, ok := strings.Cut(line, " "); ok {
			out[name] = glyph
		}
	}
	return out
}
