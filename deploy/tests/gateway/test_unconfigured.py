"""What a bucket and an object have if nobody has configured them."""

import pytest
from botocore.exceptions import ClientError
from support import code, etag

OWNER = "hashlane-s3-gateway"
# Which error says that there is none.
NONE = {
    "get_bucket_cors": "NoSuchCORSConfiguration",
    "get_bucket_encryption": "ServerSideEncryptionConfigurationNotFoundError",
    "get_bucket_lifecycle_configuration": "NoSuchLifecycleConfiguration",
    "get_bucket_policy": "NoSuchBucketPolicy",
    "get_bucket_policy_status": "NoSuchBucketPolicy",
    "get_bucket_replication": "ReplicationConfigurationNotFoundError",
    "get_bucket_tagging": "NoSuchTagSet",
    "get_bucket_website": "NoSuchWebsiteConfiguration",
    "get_object_lock_configuration": "ObjectLockConfigurationNotFoundError",
    "get_public_access_block": "NoSuchPublicAccessBlockConfiguration",
}
# What else is answered.
SOME = {
    "get_bucket_accelerate_configuration": {},
    "get_bucket_logging": {},
    "get_bucket_notification_configuration": {},
    "get_bucket_ownership_controls": {
        "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    },
    "get_bucket_request_payment": {"Payer": "BucketOwner"},
    "get_bucket_versioning": {},
}
DELETED = ["cors", "encryption", "lifecycle", "policy", "tagging", "website"]


def content(answer):
    return {name: each for name, each in answer.items() if name != "ResponseMetadata"}


@pytest.mark.parametrize("question", NONE)
def test_there_is_none(question, client):
    with pytest.raises(ClientError) as refused:
        getattr(client, question)(Bucket="test")
    assert code(refused) == NONE[question]
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 404


@pytest.mark.parametrize("question", SOME)
def test_there_is_some(question, client):
    assert content(getattr(client, question)(Bucket="test")) == SOME[question]


@pytest.mark.parametrize("question", [*NONE, *SOME, "get_bucket_acl", "list_object_versions"])
def test_there_is_no_bucket(question, client):
    with pytest.raises(ClientError) as refused:
        getattr(client, question)(Bucket="no-bucket")
    assert code(refused) == "NoSuchBucket"


@pytest.mark.parametrize("configuration", DELETED)
def test_nothing_is_deleted(configuration, client):
    client.put_object(Bucket="test", Key="still-there", Body=b"x")
    deleted = getattr(client, f"delete_bucket_{configuration}")(Bucket="test")
    assert deleted["ResponseMetadata"]["HTTPStatusCode"] == 204
    client.head_object(Bucket="test", Key="still-there")


def test_the_owner_has_all_rights(client):
    client.put_object(Bucket="test", Key="owned", Body=b"x")
    for acl in (
        client.get_bucket_acl(Bucket="test"),
        client.get_object_acl(Bucket="test", Key="owned"),
    ):
        assert acl["Owner"] == {"ID": OWNER, "DisplayName": OWNER}
        ((grantee, permission),) = [(each["Grantee"], each["Permission"]) for each in acl["Grants"]]
        assert (grantee["ID"], grantee["Type"], permission) == (
            OWNER,
            "CanonicalUser",
            "FULL_CONTROL",
        )
    assert client.list_buckets()["Owner"]["ID"] == OWNER
    listed = {"Bucket": "test", "Prefix": "owned"}
    assert client.list_objects(**listed)["Contents"][0]["Owner"]["ID"] == OWNER
    assert "Owner" not in client.list_objects_v2(**listed)["Contents"][0]
    assert client.list_objects_v2(**listed, FetchOwner=True)["Contents"][0]["Owner"]["ID"] == OWNER


def test_the_rights_that_are_there_can_be_set(client):
    """s3cmd sets on a copy what it has read from the source."""
    names = {"Bucket": "test", "Key": "set"}
    client.put_object(**names, Body=b"x")
    for get, put, named in (
        (client.get_bucket_acl, client.put_bucket_acl, {"Bucket": "test"}),
        (client.get_object_acl, client.put_object_acl, names),
    ):
        acl = content(get(**named))
        put(**named, AccessControlPolicy=acl)
        put(**named, ACL="private")
        everybody = {
            "Grantee": {
                "Type": "Group",
                "URI": "http://acs.amazonaws.com/groups/global/AllUsers",
            },
            "Permission": "READ",
        }
        for other in (
            {"AccessControlPolicy": acl | {"Grants": [*acl["Grants"], everybody]}},
            {"AccessControlPolicy": acl | {"Grants": []}},
            {"ACL": "public-read"},
            {"GrantRead": "id=other"},
        ):
            with pytest.raises(ClientError) as refused:
                put(**named, **other)
            assert code(refused) == "NotImplemented"
        with pytest.raises(ClientError) as refused:
            put(**(named | {"Bucket": "no-bucket"}), ACL="private")
        assert code(refused) == "NoSuchBucket"


def test_where_a_bucket_is(client):
    assert client.head_bucket(Bucket="test")["BucketRegion"] == "us-east-1"
    created = client.create_bucket(Bucket="where")
    assert created["Location"] == "/where"
    assert client.get_bucket_location(Bucket="where")["LocationConstraint"] is None


def test_an_object(client):
    names = {"Bucket": "test", "Key": "plain"}
    client.put_object(**names, Body=b"x")
    assert content(client.get_object_tagging(**names)) == {"TagSet": []}
    client.delete_object_tagging(**names)
    for question in (client.get_object_retention, client.get_object_legal_hold):
        with pytest.raises(ClientError) as refused:
            question(**names)
        assert code(refused) == "InvalidRequest"
    for question in (client.get_object_tagging, client.get_object_acl):
        with pytest.raises(ClientError) as refused:
            question(Bucket="test", Key="none")
        assert code(refused) == "NoSuchKey"
    client.head_object(**names)


def test_each_object_has_one_version(client):
    client.create_bucket(Bucket="versions")
    keys = ["a", "b/1", "b/2", "c"]
    for key in keys:
        client.put_object(Bucket="versions", Key=key, Body=key.encode())
    for size in (1, 3, 1000):
        pages = client.get_paginator("list_object_versions").paginate(
            Bucket="versions", PaginationConfig={"PageSize": size}
        )
        found = [each for page in pages for each in page.get("Versions", [])]
        assert [each["Key"] for each in found] == keys
        assert {each["VersionId"] for each in found} == {"null"}
        assert all(each["IsLatest"] for each in found)
        assert found[0]["ETag"] == etag(b"a")
    grouped = client.list_object_versions(Bucket="versions", Delimiter="/", KeyMarker="a")
    assert [each["Prefix"] for each in grouped["CommonPrefixes"]] == ["b/"]
    assert [each["Key"] for each in grouped["Versions"]] == ["c"]
    # As a bucket with versions is emptied.
    objects = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in found]
    client.delete_objects(Bucket="versions", Delete={"Objects": objects})
    client.delete_bucket(Bucket="versions")
