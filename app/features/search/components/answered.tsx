/** The badge of a question with an accepted answer. */
export function Answered({ children = 'Answered' }: { children?: string }) {
	return <span className="answered">{children}</span>
}
