/** What browser push allows. */
export const limits = {
	/** Browsers of one member; one more takes the place of the oldest. */
	browsers: 20,
	/** Characters of an address at a push service; the longest known ones have about 500. */
	endpoint: 2_000,
	/** Characters of a title and of a text: what systems show of them, and well within the 4 KB of a push. */
	title: 100,
	body: 200,
	/** Notices and conversations that are named as still unread, of each the newest. */
	open: 30,
} as const
