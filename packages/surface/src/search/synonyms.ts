/** Verbs, and nouns of the same action: a family per line. A word may be in several. The names of things are compared by the table of word vectors. */
export const synonymFamilies = `
  get fetch retrieve obtain read show view display return
  list enumerate show browse
  find search lookup locate query discover
  create add new make insert generate register
  open create file raise
  update edit modify change set patch alter adjust revise amend
  replace substitute overwrite
  delete remove erase drop destroy discard purge trash
  clear empty reset
  cancel abort revoke withdraw
  start begin launch run execute trigger initiate
  rerun retry repeat
  stop end halt terminate kill shutdown
  pause suspend
  resume continue
  send deliver dispatch
  post publish share
  submit file
  notify alert inform
  reply respond answer
  comment remark
  calculate compute calculation computation
  estimate approximate
  convert conversion transform turn
  translate translation
  check verify validate validation
  test try
  inspect examine
  book reserve reservation booking
  schedule plan arrange
  buy purchase order
  sell sale
  pay payment
  charge bill
  download save export
  upload import
  attach attachment append
  compare comparison contrast
  analyze analysis examine assess evaluate study
  recommend suggest recommendation suggestion
  summarize summary digest
  explain describe description explanation
  play listen
  monitor watch track follow observe
  subscribe subscription follow
  connect link join
  disconnect unlink detach leave
  move transfer relocate
  copy duplicate clone fork replicate
  rename retitle
  merge combine join concatenate
  split divide
  assign allocate delegate give
  approve accept
  reject decline refuse
  allow permit grant
  deny forbid block
  invite invitation
  enable activate
  disable deactivate
  lock protect
  restore recover undo revert rollback
  close resolve finish complete
  count number total
  sort order rank
  filter narrow
  predict forecast prediction
  learn study
  teach train
  write compose draft
  draw sketch
  detect identify recognize
  extract parse scrape
  crawl scrape
  deploy release ship
  install setup
  measure gauge
  click press tap
  type enter fill
  scroll swipe
  navigate visit browse
  remind reminder
  remember memorize memory
  rate rating score
  fix repair correct
  improve optimize enhance
  debug troubleshoot diagnose
  exchange swap trade
  star favorite bookmark
  mute silence
  transcribe transcription transcript
  compress zip
  decompress unzip
  generate produce
  scale resize
  crop trim cut
  migrate migration`;
