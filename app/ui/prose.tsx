import { linkForeignPictures } from '~/platform/markdown/foreign-pictures.ts'

interface ProseProps {
	/** HTML that `renderMarkdown` made: sanitized when it was written. Nothing else may come here. */
	html: string
	small?: boolean
}

/** A text that a member wrote in markdown. Stored ones may be older than the rule for pictures of other sites. */
export function Prose({ html, small }: ProseProps) {
	const shown = { __html: linkForeignPictures(html) }
	return <div className={small ? 'prose prose-sm' : 'prose max-w-[44rem]'} dangerouslySetInnerHTML={shown} />
}
