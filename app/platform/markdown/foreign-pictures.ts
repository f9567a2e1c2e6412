const tag = /<a\b[^>]*>|<\/a>|<img\b[^>]*>/g

/** Extensions of addresses that are written as pictures but are videos or audio. */
const media = /\.(?:(mp4|m4v|webm|ogv|mov|mkv|avi)|(mp3|m4a|ogg|oga|opus|wav|flac|aac))(?:[?#]|$)/i

/** The placeholder of some sites for a missing description. */
const noDescription = 'enter image description here'

/**
 * Replaces pictures of other sites in a sanitized text by links: loading them would tell those sites who reads what, and our
 * content security policy forbids it. Pictures of this site stay. Videos and audio always become links. Texts stored before this
 * rule are treated like new ones.
 * @param html a result of `sanitize`: attributes in double quotes, with every < > and " in them escaped
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
		// Links cannot be nested, and a link around a picture usually leads to it.
		return isInLink ? words : `<a href="${source}" rel="nofollow ugc noopener">${words}</a>`
	})
}

/** Whether an address that is written as a picture leads to a video or audio. */
export function isVideoOrAudio(source: string): boolean {
	return media.test(source)
}

/** @param source escaped, as in the text; so is the result @param alt the same */
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
