/* The use cases that write, behind one door: pages, the API and tests call the same ones. Reading is in reading.server.ts. */

export { addComment, deleteComment, editComment } from './comments-writing.server.ts'
export { askQuestion, deleteQuestion, editQuestion } from './questions.server.ts'
export { restoreComment, restoreQuestion } from './restoring.server.ts'
export type { Input } from './writers.server.ts'
