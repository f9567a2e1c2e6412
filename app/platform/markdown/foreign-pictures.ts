const tag = /<a\b[^>]*>|<\/a>|<img\b[^>]*>/g

/** Ends of addresses that are written as pictures and are none. */
const media = /\.(?:(mp4|m4v|webm|ogv|mov|mkv|avi)|(mp3|m4a|ogg|oga|opus|wav|flac|aac))(?:[?#]|$)/i

/** What some sites write where nobody described a picture. */
const noDescription = 'enter image description here'

/**
 * Makes links of the pictures of other sites in a sanitized text: a browser that loaded them would tell those sites who reads
 * what, and the policy of our pages forbids it. Pictures of this site stay. Videos and audio, which are written as pictures, become
 * links wherever they are. A text that was stored before this rule comes out as one that is stored today.
 * @param html as `sanitize` makes it: attributes in double quotes, with every < > and " in them escaped
 */
export function linkForeignPictures(html: string): string {
	if (!html.includes('<img')) return html
	let isInLink = false
	return html.replace(tag, (found) => {
		if (!found.startsWith('<img')) {
			isInLink = found !== '</a>'
			return found
		}
		const source = attribute(found, 'src')
		if (/^\/(?!\/)/.test(source) && !media.test(source)) return found
		const words = wordsOf(source, attribute(found, 'alt'))
		// A link may not stand within another one, and what is around a picture most often leads to it.
		return isInLink ? words : `<a href="${source}" rel="nofollow ugc noopener">${words}</a>`
	})
}

/** Whether an address that is written as a picture leads to a video or audio. */
export function isMedia(source: string): boolean {
	return media.test(source)
}

/** @param source and @param alt as they stand in the text, escaped; so is the result */
function wordsOf(source: string, alt: string): string {
	const [, video, audio] = media.exec(source) ?? []
	const kind = video ? 'Video' : audio ? 'Audio' : 'Picture'
	const isRelative = /^(?![a-z]+:|\/\/)/i.test(source)
	const from = isRelative ? '' : ` from ${URL.parse(source.replaceAll('&amp;', '&'))?.hostname || 'another site'}`
	const description = alt.trim()
	return `${kind}${from}${description && description !== noDescription ? `: ${description}` : ''}`
}

function attribute(picture: string, name: string): string {
	return new RegExp(`\\s${name}="([^"]*)"`).exec(picture)?.[1] ?? ''
}
