/**
 * An @ that begins the mention of a member: not within an address, as in `mail@host` and `/@x`, nor after another one. Chinese, Japanese,
 * Thai, Lao, Khmer and Burmese have no spaces between words, so theirs may end directly before it.
 */
export const atSign =
	/(?:(?<![\p{L}\p{N}_@/.+-])|(?<=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]))@/u
