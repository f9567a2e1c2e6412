import { linkForeignPictures } from '~/platform/markdown/foreign-pictures.ts'

interface ProseProps {
	/** HTML from `renderMarkdown`, sanitized when it was written; never any other HTML. */
	html: string
	small?: boolean
}

/** A member's rendered Markdown. Stored HTML may be older than the rule for pictures of other sites. */
export function Prose({ html, small }: ProseProps) {
	const shown = { __html: linkForeignPictures(html) }
	return <div className={small ? 'prose prose-sm' : 'prose max-w-[44rem]'} dangerouslySetInnerHTML={shown} />
}
