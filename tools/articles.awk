# Gives each heading of a page the identifier to which links of the articles refer: its words in lower case, with hyphens.
/^<h[1-6]>/ {
  text = tolower($0)
  gsub(/<[^>]*>|&[a-z]+;/, "", text)
  gsub(/[^a-z0-9 _-]/, "", text)
  gsub(/ /, "-", text)
  count = seen[text]++
  sub(/>/, " id=\"" text (count ? "-" count : "") "\">")
}
{ print }
