/* The use cases that write, behind one door: pages, the API and tests call the same ones. Reading is in reading.server.ts. */

export type { Input } from '~/platform/http/parse.server.ts'
export { askQuestion, deleteQuestion, editQuestion } from './asking/asking.server.ts'
export { addComment, deleteComment, editComment } from './discussion/comments-writing.server.ts'
export { restoreComment, restoreQuestion } from './writing/restoring.server.ts'
