/** The badge of a question with an accepted answer. */
export function AnsweredBadge({ children = 'Answered' }: { children?: string }) {
	return <span className="answered">{children}</span>
}
