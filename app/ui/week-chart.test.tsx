import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test } from 'vitest'
import { dateStyle } from '~/lib/dates.ts'
import { WeekChart } from './week-chart.tsx'

afterEach(() => {
	dateStyle.locale = 'en'
})

test.each([
	['en', '1 Jun 2026'],
	['en-US', 'Jun 1, 2026'],
])('the weeks of a chart are dates as everywhere on the site, here for %s', (locale, day) => {
	dateStyle.locale = locale
	const values = [
		{ week: '2026-06-01', value: 3 },
		{ week: '2026-06-08', value: 1 },
	]
	const chart = renderToStaticMarkup(<WeekChart id="new" title="New members" note="" values={values} say={String} />)
	// In the summary for screen readers, below the bars and in the table.
	expect(chart.split(day)).toHaveLength(4)
	expect(chart).not.toMatch(/2026-\d/)
})
