import { useRootData } from '~/lib/root-data.ts'
import { Link } from './link.tsx'

/** Above a field whose text would be refused: why the viewer may not write now, and until when. Nothing for everybody else. */
export function WritingNotice({ className = '', framed = true }: { className?: string; framed?: boolean }) {
	const { writing } = useRootData()
	if (!writing) return null
	const { text, link } = writing
	return (
		<p
			className={`py-3 text-sm wrap-anywhere text-ink-2 ${framed ? 'rounded-sm border border-line-2 bg-sunken px-4' : ''} ${className}`}
		>
			{text}
			{link && (
				<>
					{' '}
					<Link className="link" to={link.to}>
						{link.label}
					</Link>
				</>
			)}
		</p>
	)
}
