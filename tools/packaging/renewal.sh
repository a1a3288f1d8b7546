# The steps of tools/packaging/test that renew what the service was started with, and reload it. Sourced by it.

settings=etc/systemd/system/tap-server.service.d
folder=/etc/contactless
# The certificate is its own authority.
renewed=(--server "$url" --ca "$folder/certificate.pem" --operator "$folder/operator.token")

# put MODE FILE: replaces a file of the operator by the standard input, as programs do that renew it.
put() { cat > "$root$folder/new" && chmod "$1" "$root$folder/new" && mv "$root$folder/new" "$root$folder/$2"; }

new_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$work/key" -out "$work/certificate" 2> "$log"
  put 644 certificate.pem < "$work/certificate"
  put 600 key.pem < "$work/key"
}

new_token() { head -c 32 /dev/urandom | base64 -w 0 | tr '+/' '-_' | tr -d = | put 600 operator.token; }

# The password of the database; it is in $root/etc/contactless/pgpass too.
new_password() {
  local password
  password=$(od -A n -t x1 -N 16 /dev/urandom | tr -d ' ')
  inside runuser -u postgres -- psql -q -c "ALTER ROLE tap LOGIN PASSWORD '$password'"
  put 600 pgpass <<< "*:*:*:tap:$password"
}

certificate_fingerprint() { openssl x509 -noout -fingerprint -sha256 | cut -d = -f 2; }
# The fingerprint of the certificate that new connections get.
served() { nsenter --target "$leader" --net openssl s_client -connect 127.0.0.1:8443 < /dev/null 2> "$log" | certificate_fingerprint; }
events() { inside journalctl -q -o cat -u tap-server; }
reloads() { events | grep -c '"reloaded: ' || true; }

# reloaded: reloads the service, waits until the server has done it, and prints what its log says.
reloaded() {
  local before
  before=$(reloads)
  inside systemctl reload tap-server
  until [ "$(reloads)" -gt "$before" ]; do sleep 0.2; done
  events | grep -o '"reloaded: [^"]*"' | tail -n 1
}

# A service with the unit of a package that had no step for credentials, and with drop-ins as its examples were.
older_service() {
  inside apt-get install -y -q --no-install-recommends postgresql > "$log" 2>&1
  inside runuser -u postgres -- psql -q -c 'CREATE ROLE tap LOGIN' -c "CREATE DATABASE contactless OWNER tap ENCODING 'UTF8' TEMPLATE template0"
  new_certificate
  new_password
  sed -i '/copy-credentials/d; /^Environment=CREDENTIALS_DIRECTORY/d; /^RuntimeDirectory/d' "$root/lib/systemd/system/tap-server.service"
  mkdir -p "$root/$settings"
  local examples=$root/usr/share/doc/contactless-server/examples database
  database=$(grep -o 'postgresql://[^ ]*' "$examples/postgresql.conf" | sed 's/db\.example/127.0.0.1/')
  grep '^LoadCredential=' "$examples/postgresql.conf" \
    | cat "$examples/certificate.conf" - | sed "s,sqlite:[^ ]*,$database," > "$root/$settings/renewed.conf"
  # Without --self-signed the configuration has to name the facets.
  sed -i 's/"openRegistration": false,/&\n"facets": "*",/' "$root$folder/server.json"
  inside systemctl daemon-reload
  inside systemctl restart tap-server
  [ "$(served)" = "$(certificate_fingerprint < "$work/certificate")" ]
}

# The scripts of the package start the service with the unit of the package.
moved_service() {
  inside sh -c 'apt-get install -y -q --reinstall /packages/contactless-server_*.deb' > "$log" 2>&1
  inside systemctl is-active --quiet tap-server
  # grep -q would end the program before it with SIGPIPE.
  inside systemctl cat tap-server | grep '^ExecReload=.*copy-credentials' > /dev/null
  inside tap-server wallet list "${renewed[@]}"
  inside sh -c 'stat -c "%U %a" /run/tap-server /run/tap-server/*' | sort -u > "$log"
  [ "$(cat "$log")" = $'tap-server 400\ntap-server 700' ]
}

renew() {
  local line former=$work/former-token
  cp "$root$folder/operator.token" "$former"
  inside install -m 600 "$folder/operator.token" /former.token
  line=$(reloaded)
  [[ $line = *"certificate unchanged"*"key unchanged, operator's token unchanged, database password unchanged, configuration unchanged"* ]]
  new_certificate
  new_token
  new_password
  line=$(reloaded)
  echo "$line"
  [[ $line = *"certificate changed (SHA-256 $(certificate_fingerprint < "$work/certificate")), key changed, operator's token changed, database password changed, configuration unchanged"* ]]
  [ "$(served)" = "$(certificate_fingerprint < "$work/certificate")" ]
  nsenter --target "$leader" --net curl --silent --fail --cacert "$work/certificate" --output "$log" "$url/app-versions/linux" \
    || [ $? = 22 ]
  # New connections to the database have the new password.
  inside runuser -u postgres -- psql -q -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tap'" > "$log"
  inside tap-server wallet list "${renewed[@]}"
  if inside tap-server wallet list "${renewed[@]:0:4}" --operator /former.token 2> "$log"; then return 1; fi
  # No secret is in the log.
  events > "$log"
  for secret in "$(cat "$former")" "$(cat "$root$folder/operator.token")" "$(cut -d : -f 5 "$root$folder/pgpass")"; do
    if grep -qF -e "$secret" "$log"; then return 1; fi
  done
}

# refused TEXT: a reload fails with a text and changes nothing.
refused() {
  local copies before
  copies=$(inside sh -c 'sha256sum /run/tap-server/*')
  before=$(reloads)
  if inside systemctl reload tap-server 2> "$log"; then return 1; fi
  events | grep -F -e "$1" > /dev/null
  [ "$(inside sh -c 'sha256sum /run/tap-server/*')" = "$copies" ] && [ "$(reloads)" = "$before" ]
  inside tap-server wallet list "${renewed[@]:0:4}" --operator /served.token
}

refuse() {
  inside install -m 600 "$folder/operator.token" /served.token
  # A link in a folder of another user, which could lead to any file later.
  inside install -d -o alice -m 755 /home/alice/own
  inside install -o alice -m 600 "$folder/operator.token" /home/alice/own/operator.token
  inside ln -sf /home/alice/own/operator.token "$folder/operator.token"
  refused 'operator.token: its folders and links must belong to root'
  inside rm "$folder/operator.token"
  refused 'operator.token cannot be read'
  # A file that all may write.
  new_token
  inside chmod 666 "$folder/operator.token"
  refused 'operator.token: its folders and links must belong to root'
  # A link to a file of root, as some programs keep certificates.
  inside chmod 600 "$folder/operator.token"
  inside mv "$folder/operator.token" "$folder/operator.token.1"
  inside ln -s operator.token.1 "$folder/operator.token"
  reloaded | grep -o "operator's token changed"
}

# The service as the package has it.
end_renewal() {
  rm -r "${root:?}/$settings"
  inside mv -f "$folder/operator.token.1" "$folder/operator.token"
  sed -i '/"facets"/d' "$root$folder/server.json"
  inside sh -c "rm -f $folder/certificate.pem $folder/key.pem $folder/pgpass /former.token /served.token"
  inside systemctl daemon-reload
  inside systemctl restart tap-server
  [ "$(wallets)" != '' ]
}

renewal_steps() {
  step 'a service of an older package with drop-ins for LoadCredential' older_service
  step 'the scripts of the package move it' moved_service
  step 'renewed certificate, key, token and password: systemctl reload' renew
  step 'unsafe and missing files: systemctl reload fails, the server goes on' refuse
  step 'the service without drop-ins' end_renewal
}
