import { countOptedIn, type GainRow, readGain } from './answerable.queries.server.ts'
import { LEFT_OUT_PERCENT, MIN_COMPARED } from './routing.limits.ts'

/* The effect of asking members: routed questions compared with a random control group. */

/** One side of the comparison, with no data about single questions or members. */
export interface GainSide {
	questions: number
	/** Seconds until half of them had an answer; null while fewer have. */
	medianSeconds: number | null
	/** How many had one within 24 hours. */
	withinDay: number
}

export interface GainView {
	routed: GainSide
	leftOut: GainSide
	/** The conclusion, in a sentence or two. */
	verdict: string
	/** The number of members who may be asked. */
	optedIn: number
}

/** Both groups and the conclusion. The caller checks that the viewer is a moderator. */
export async function getGain(): Promise<GainView> {
	const [rows, optedIn] = await Promise.all([readGain(), countOptedIn()])
	const routed = sideOf(rows.find((row) => row.routed))
	const leftOut = sideOf(rows.find((row) => !row.routed))
	return { routed, leftOut, verdict: verdictOf(routed, leftOut), optedIn }
}

function sideOf(row: GainRow | undefined): GainSide {
	return {
		questions: row?.questions ?? 0,
		medianSeconds: row?.median_seconds ?? null,
		withinDay: row?.within_day ?? 0,
	}
}

/** The normal quantile of a 95 % confidence interval. */
const Z = 1.96

/** The 95 % confidence interval of a proportion (Wilson score, which also holds for few questions and extreme proportions). */
function shareInterval({ questions: n, withinDay }: GainSide): { share: number; low: number; high: number } {
	const share = withinDay / n
	const center = (share + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n)
	const half = (Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2))) / (1 + Z ** 2 / n)
	return { share, low: center - half, high: center + half }
}

/**
 * The difference of the proportions answered within a day, in percentage points, with its 95 % confidence interval (Newcombe, from two
 * Wilson intervals).
 */
export function differenceOf(routed: GainSide, leftOut: GainSide): { points: number; low: number; high: number } {
	const [a, b] = [shareInterval(routed), shareInterval(leftOut)]
	const difference = a.share - b.share
	const down = Math.hypot(a.share - a.low, b.high - b.share)
	const up = Math.hypot(a.high - a.share, b.share - b.low)
	return { points: 100 * difference, low: 100 * (difference - down), high: 100 * (difference + up) }
}

/** The conclusion from the two groups; none from few questions. */
export function verdictOf(routed: GainSide, leftOut: GainSide): string {
	if (Math.min(routed.questions, leftOut.questions) < MIN_COMPARED)
		return `Too few queries to draw a conclusion: each group needs ${MIN_COMPARED}, and only about ${LEFT_OUT_PERCENT} in 100 are left out.`
	const { points, low, high } = differenceOf(routed, leftOut)
	const range = `95% confidence interval ${signed(low)} to ${signed(high)}`
	if (low > 0)
		return `Asking members helps: the share answered within 24 hours is ${Math.round(points)} percentage points higher (${range}).`
	if (high < 0)
		return `Asking members does not help: the share answered within 24 hours is ${Math.round(-points)} percentage points lower (${range}).`
	return `The difference of ${signed(points)} percentage points within 24 hours may be chance (${range}).`
}

function signed(points: number): string {
	const rounded = Math.round(points)
	return rounded > 0 ? `+${rounded}` : String(rounded).replace('-', '−')
}
