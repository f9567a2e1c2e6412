import { formatNumber, shortNumber } from '~/lib/text.ts'

/** A number in a narrow place: a large one is shown short, `1.2m`, and screen readers and pointers get all of it. */
export function Count({ of }: { of: number }) {
	const short = shortNumber(of)
	if (short === String(of)) return short
	const whole = formatNumber(of)
	return (
		<span className="normal-nums" title={whole}>
			<span aria-hidden="true">{short}</span>
			<span className="sr-only">{whole}</span>
		</span>
	)
}
