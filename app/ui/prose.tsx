interface ProseProps {
	/** HTML that `cook` made: sanitized when it was written. Nothing else may come here. */
	html: string
	small?: boolean
}

/** A text that a member wrote in markdown. */
export function Prose({ html, small }: ProseProps) {
	return <div className={small ? 'prose prose-sm' : 'prose max-w-[44rem]'} dangerouslySetInnerHTML={{ __html: html }} />
}
