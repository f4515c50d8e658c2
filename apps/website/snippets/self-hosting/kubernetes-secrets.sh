#!/bin/sh
# Makes the secrets of deploy/kubernetes in a new namespace.
set -eu

: "${DATABASE_URL:?set it to the address of your database, such as postgres://user:password@host/keyhearth}"
: "${SMTP_URL:?set it to the address of your mail server, such as smtps://user:password@mail.example.com}"

kubectl apply --filename deploy/kubernetes/base/namespace.yaml
kubectl create secret generic keyhearth-api --namespace keyhearth \
  --from-literal=database-url="$DATABASE_URL" \
  --from-literal=metrics-token="$(openssl rand -hex 24)"
kubectl create secret generic keyhearth-courier --namespace keyhearth \
  --from-literal=smtp-url="$SMTP_URL"
