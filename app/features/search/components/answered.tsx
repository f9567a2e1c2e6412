/** The mark of a question that has an accepted answer. */
export function Answered({ children = 'Answered' }: { children?: string }) {
	return <span className="answered">{children}</span>
}
