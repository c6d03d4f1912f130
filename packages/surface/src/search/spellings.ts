/** Abbreviations and other spellings of the same word: a family per line; `+` joins two words. */
export const spellingFamilies = `
  pr pull+request
  mr merge+request
  repo repository
  db database
  doc document
  docs documentation
  dir directory folder
  config configuration
  env environment
  auth authentication
  login signin logon
  logout signout
  admin administrator
  app application
  org organization organisation
  dept department
  info information
  stat statistic
  spec specification
  param parameter
  msg message
  dm direct+message
  sms text+message
  pic picture
  img image
  photo photograph
  vid video
  tv television
  ad advertisement advert
  num number
  qty quantity
  avg average
  min minimum
  max maximum
  temp temperature
  tz timezone time+zone
  geo geographic
  lat latitude
  lng longitude lon
  url web+address
  website web+site site
  webpage web+page
  email e+mail mail
  phone telephone
  cell+phone mobile+phone smartphone
  ai artificial+intelligence
  ml machine+learning
  llm language+model
  k8s kubernetes
  postgres postgresql
  mongo mongodb
  js javascript
  ts typescript
  py python
  md markdown
  ci continuous+integration
  vm virtual+machine
  os operating+system
  fs file+system filesystem
  id identifier
  pwd password
  kb knowledge+base
  hr human+resources
  crm customer+relationship
  fx foreign+exchange
  crypto cryptocurrency
  stock+price share+price
  zip+code postcode postal+code zipcode
  colour color
  analyse analyze
  summarise summarize
  organise organize
  optimise optimize
  recognise recognize
  normalise normalize
  visualise visualize
  categorise categorize
  prioritise prioritize
  centre center
  favourite favorite
  cancelled canceled
  calendar agenda
  sync synchronize synchronise
  tx txn transaction
  acct account
  amt amount
  addr address
  desc description
  dest destination
  src source
  lib library
  pkg package
  cmd command
  exec execute
  calc calculate
  prod production
  dev development
  perf performance
  sec second
  yr year
  btc bitcoin
  eth ethereum
  usd dollar
  eur euro
  gbp sterling
  jpy yen
  yt youtube
  gh github
  gdrive google+drive
  gcal google+calendar`;
